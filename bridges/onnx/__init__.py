"""ONNX: the bridges that all devices share whose SDKs read ONNX, and the writer of ONNX files."""
