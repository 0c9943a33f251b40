"""ONNX Runtime as a device; its bridges are those of ONNX."""
