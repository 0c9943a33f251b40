"""Matrix products with packed weights: 1×1 convolutions and dense layers."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.dense import ROWS, single, wide
from lite.kernels.cpu.compiled.jit import entry
from lite.kernels.cpu.compiled.late import finish_late
from lite.kernels.cpu.compiled.machine import LANES
from lite.kernels.cpu.compiled.vector import address
from lite.kernels.cpu.flags import KIND

_BLOCK = 1 << 14
"""Elements of the rows that meet one panel of weights after the other: what a second-level cache holds."""


@entry("r4", "r1", "r1", "r4", "r1", "r1", "r1", "w4", "i", "i", "i", "i", "i", "i")
def multiply(
    x: Any, w: Any, bias: Any, residual: Any, scale: Any, shift: Any, parameters: Any, out: Any,
    flags: int, columns: int, depth: int, channels: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Rows `begin` to `end` of `x` ``[rows, depth]`` times `w`, packed in panels of `columns` vectors.

    `out` and `residual` are ``[rows, channels]``; vectors of channels are padded to whole panels.
    """
    rows = ROWS[columns]
    panel = columns * LANES
    block = max(_BLOCK // depth // rows, 1) * rows
    for first in range(begin, end, block):
        last = min(first + block, end)
        # A tile that would end behind the last row is moved back over rows that are done already.
        whole = last if last - first >= rows else first
        for channel in range(0, channels, panel):
            place = channel * depth
            left = channels - channel
            row = first
            while row < whole:
                start = min(row, whole - rows)
                wide(
                    columns, address(x, start * depth), depth, 0, 0, 1, 1, depth, w, place, bias, channel,
                    left, flags, parameters, residual, scale, shift, out, start * channels + channel,
                    channels,
                )  # fmt: skip
                row = start + rows
            for start in range(whole, last):
                single(
                    columns, address(x, start * depth), depth, 0, 0, 1, 1, depth, w, place, bias, channel,
                    left, flags, parameters, residual, scale, shift, out, start * channels + channel,
                    channels,
                )  # fmt: skip
        if flags >> KIND:
            finish_late(out, first * channels, last - first, channels, flags, parameters, scale, shift)
