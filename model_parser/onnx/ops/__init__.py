"""ONNX ops by family; every file here is imported when a model is parsed."""
