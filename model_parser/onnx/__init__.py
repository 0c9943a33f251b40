"""ONNX models (``onnx.proto`` of github.com/onnx/onnx, opset 7 and newer) to Programs of Paddle's ops."""
