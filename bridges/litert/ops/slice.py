"""Slices, padding and gathering."""

from __future__ import annotations

from lite.bridges.formats.tflite.bridging import takes
from lite.bridges.formats.tflite.ops import slice

takes(
    "litert",
    __name__,
    slice.CONVERSIONS,
    "flip",
    "gather",
    "lookup_table_v2",
    "pad_nd",
    "slice",
    "strided_slice",
    "take",
)
