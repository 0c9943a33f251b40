"""The bridges of the device onnxruntime, by family of ops."""
