"""ONNX models: parsing into Programs of Paddle's vocabulary."""
