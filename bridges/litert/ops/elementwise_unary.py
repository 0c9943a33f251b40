"""Functions of one tensor, scale, pow, clip, dropout and cast."""

from __future__ import annotations

from lite.bridges.formats.tflite.bridging import takes
from lite.bridges.formats.tflite.ops import elementwise_unary

takes(
    "litert",
    __name__,
    elementwise_unary.CONVERSIONS,
    "abs",
    "cast",
    "ceil",
    "clip",
    "cos",
    "dropout",
    "erf",
    "exp",
    "floor",
    "log",
    "log10",
    "log2",
    "logical_not",
    "negative",
    "pow",
    "reciprocal",
    "rint",
    "rsqrt",
    "scale",
    "sign",
    "sin",
    "sqrt",
    "square",
)
