"""Convolutions."""

from __future__ import annotations

from lite.bridges.formats.tflite.bridging import takes
from lite.bridges.formats.tflite.ops import convolution

takes(
    "litert",
    __name__,
    convolution.CONVERSIONS,
    "conv2d",
    "conv2d_transpose",
)
