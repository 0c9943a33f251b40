"""Resizing of images."""

from __future__ import annotations

from lite.bridges.formats.tflite.bridging import takes
from lite.bridges.formats.tflite.ops import resize

takes(
    "litert",
    __name__,
    resize.CONVERSIONS,
    "bilinear_interp_v2",
    "linear_interp_v2",
    "nearest_interp_v2",
    "resize",
    "trilinear_interp_v2",
)
