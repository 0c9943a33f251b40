"""Transposed convolution whose windows do not overlap: each pixel becomes a block of its own."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.dense import product
from lite.kernels.cpu.compiled.entry import entry
from lite.kernels.cpu.compiled.late import finish_late
from lite.kernels.cpu.compiled.vector import address
from lite.kernels.cpu.flags import KIND
from lite.kernels.cpu.tile_sizes import LANES


@entry("r", "r", "r", "r", "r", "r", "r", "w", "i", "i", "i", "i", "i", "i")
def spread(
    x: Any, w: Any, bias: Any, residual: Any, scale: Any, shift: Any, parameters: Any, out: Any,
    flags: int, columns: int, down: int, depth: int, channels: int, width: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Input rows `begin` to `end` of `width` pixels, counted over the batch; each makes `down` rows.

    `w` is ``[down, panels, depth, columns · LANES]`` with the columns of a block beside each other: a pixel
    makes `channels` elements of each row.
    """
    panel = columns * LANES
    padded = (channels + panel - 1) // panel * panel
    for line in range(begin, end):
        origin = address(x, line * width * depth)
        for i in range(down):
            target = (line * down + i) * width * channels
            for channel in range(0, channels, panel):
                product(
                    columns, origin, width, depth, w, (i * padded + channel) * depth, bias, channel,
                    channels - channel, flags, parameters, residual, scale, shift, out, target + channel,
                    channels,
                )  # fmt: skip
            if flags >> KIND:
                finish_late(out, target, width, channels, flags, parameters, scale, shift)
