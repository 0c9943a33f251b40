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
    "expand_as",
    "expand_as_v2",
    "expand_v2",
    "flatten2",
    "flatten_contiguous_range",
    "reshape2",
    "split",
    "squeeze2",
    "stack",
    "tile",
    "transpose2",
    "unsqueeze2",
    "unstack",
)
