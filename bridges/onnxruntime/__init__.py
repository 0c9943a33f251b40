"""ONNX Runtime as a device and ONNX as a file format: both convert ops to ONNX nodes by the same bridges."""
