"""Shapes, joins and parts."""

from __future__ import annotations

from lite.bridges.formats.tflite.bridging import takes
from lite.bridges.formats.tflite.ops import shape

takes(
    "litert",
    __name__,
    shape.CONVERSIONS,
    "assign",
    "broadcast_to",
    "concat",
    "depth_to_space",
    "expand_as",
    "expand_as_v2",
    "expand_v2",
    "fill_any_like",
    "flatten2",
    "flatten_contiguous_range",
    "one_hot_v2",
    "pixel_shuffle",
    "reshape2",
    "shape",
    "shuffle_channel",
    "space_to_depth",
    "split",
    "squeeze2",
    "stack",
    "tile",
    "transpose2",
    "unsqueeze2",
    "unstack",
)
