"""Matrix products."""

from __future__ import annotations

from lite.bridges.formats.tflite.bridging import takes
from lite.bridges.formats.tflite.ops import matmul

takes(
    "litert",
    __name__,
    matmul.CONVERSIONS,
    "bmm",
    "fc",
    "matmul",
    "matmul_v2",
    "mul",
)
