"""Translations of ONNX ops; each module is a family of `kernels/host`, `slice` a part of the family shape.

All modules are imported when the first model is parsed.  The meaning of ops is that of ONNX's operator
specification (``docs/Operators.md`` of github.com/onnx/onnx), opset 7 and newer.
"""
