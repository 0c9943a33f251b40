"""Pixels to channels and back."""

from __future__ import annotations

from lite.bridges.formats.tflite.bridging import takes
from lite.bridges.formats.tflite.ops import pixels

takes(
    "litert",
    __name__,
    pixels.CONVERSIONS,
    "depth_to_space",
    "pixel_shuffle",
    "shuffle_channel",
    "space_to_depth",
)
