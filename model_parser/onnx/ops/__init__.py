"""Translations of ONNX ops; each module is a family of `kernels/host`, `slice` a part of the family shape.

A module is imported when a model has an op that it names.  The meaning of ops is that of ONNX's operator
specification (``docs/Operators.md`` of github.com/onnx/onnx), opset 7 and newer.
"""
