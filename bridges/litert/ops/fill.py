"""Tensors from numbers and shapes."""

from __future__ import annotations

from lite.bridges.formats.tflite.bridging import takes
from lite.bridges.formats.tflite.ops import fill

takes(
    "litert",
    __name__,
    fill.CONVERSIONS,
    "fill_any_like",
    "fill_constant",
    "one_hot_v2",
    "range",
    "shape",
)
