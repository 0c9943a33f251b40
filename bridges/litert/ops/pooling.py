"""Pooling over images."""

from __future__ import annotations

from lite.bridges.formats.tflite.bridging import takes
from lite.bridges.formats.tflite.ops import pooling

takes(
    "litert",
    __name__,
    pooling.CONVERSIONS,
    "max_pool2d_with_index",
    "pool2d",
)
