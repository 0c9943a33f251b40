"""The bridges of the device onnxruntime, one family a file."""
