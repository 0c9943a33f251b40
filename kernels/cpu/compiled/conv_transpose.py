"""Transposed convolution without overlaps: each input pixel becomes a block of output pixels."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.codes import KIND
from lite.kernels.cpu.compiled.dense import product
from lite.kernels.cpu.compiled.entry import entry
from lite.kernels.cpu.compiled.post_activation import apply_post_activation
from lite.kernels.cpu.compiled.vector import address
from lite.kernels.cpu.tile_sizes import LANES


@entry("r", "r", "r", "r", "r", "r", "r", "w", "i", "i", "i", "i", "i", "i")
def spread(
    x: Any, w: Any, bias: Any, residual: Any, scale: Any, shift: Any, parameters: Any, out: Any,
    flags: int, columns: int, down: int, depth: int, channels: int, width: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Input rows `begin` to `end` of `width` pixels, counted over the batch; each becomes `down` output rows.

    `w` is ``[down, panels, depth, columns · LANES]``.  A pixel becomes `channels` neighbouring elements of
    each output row: all columns of its block.
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
                apply_post_activation(out, target, width, channels, flags, parameters, scale, shift)
