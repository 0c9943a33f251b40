"""Translations of ONNX ops; each module is a family of `kernels/host`, `slice` a part of the family shape.

All modules are imported when the first model is parsed.
"""
