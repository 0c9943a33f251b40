"""ONNX Runtime as a device, and ONNX as a format to write: ops become ONNX nodes in either."""
