"""Bridges of ops that need another form or further limits on the HTP than in ONNX."""
