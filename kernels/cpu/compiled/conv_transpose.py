"""Transposed convolution.

Without overlaps, each input pixel becomes a block of output pixels.  With overlaps, the output pixels whose
positions have the same remainder by the strides are a convolution with stride 1, by a part of the filter.
"""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.codes import KIND
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import address
from lite.kernels.cpu.compiled.microkernels.dense import product, tile
from lite.kernels.cpu.compiled.microkernels.post_activation import apply_post_activation
from lite.kernels.cpu.compiled.microkernels.windows import (
    ABOVE,
    CHANNELS,
    DOWN,
    DOWN_STRIDE,
    HEIGHT,
    LEFT,
    OUT_CHANNELS,
    OUT_HEIGHT,
    OUT_WIDTH,
    RIGHT,
    RIGHT_STRIDE,
    WIDTH,
    gather,
)
from lite.kernels.cpu.tile_sizes import LANES, ROWS


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


@entry("r", "r", "r", "r", "r", "r", "r", "n", "n", "s", "w", "i", "i")
def overlap(
    x: Any, w: Any, bias: Any, residual: Any, scale: Any, shift: Any, parameters: Any, geometry: Any,
    starts: Any, patch: Any, out: Any, flags: int, columns: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Output rows `begin` to `end`, counted over the batch.

    The geometry has the strides and the padding of the transposed convolution.  For the remainders i and j,
    ``w[starts[i · RIGHT_STRIDE + j]:]`` is ``[panels, taps down, taps right, channels, columns · LANES]``:
    the taps of the filter with these remainders, the last one first.  `patch` is scratch memory for the
    windows of one tile.
    """
    height, width, channels = geometry[HEIGHT], geometry[WIDTH], geometry[CHANNELS]
    out_width, out_channels = geometry[OUT_WIDTH], geometry[OUT_CHANNELS]
    down_stride, right_stride = geometry[DOWN_STRIDE], geometry[RIGHT_STRIDE]
    panel, pixel_step = columns * LANES, right_stride * out_channels
    for line in range(begin, end):
        n, y = divmod(line, geometry[OUT_HEIGHT])
        below, i = divmod(y + geometry[ABOVE], down_stride)
        taps = (geometry[DOWN] - i + down_stride - 1) // down_stride
        first = max(below - taps + 1, 0)
        down = max(min(below, height - 1) - first + 1, 0)
        skipped = first - (below - taps + 1)
        source = (n * height + first) * width * channels
        for j in range(right_stride):
            # The first of the output columns with this remainder, and the number of them.
            column = (j - geometry[LEFT]) % right_stride
            count = (out_width - column + right_stride - 1) // right_stride
            across = (geometry[RIGHT] - j + right_stride - 1) // right_stride
            left = (column + geometry[LEFT]) // right_stride - across + 1
            depth = across * channels
            rows, kind = ROWS[columns], columns
            if count < rows:
                rows, kind = 1, -columns
            span = rows - 1 + across
            done = 0
            while done < count:
                # The last tile of a row is moved back over pixels that were computed before.
                start = min(done, count - rows)
                done = start + rows
                origin, step = address(x, source + (left + start) * channels), width * channels
                if left + start < 0 or left + start + span > width:
                    gather(x, source, step, down, left + start, span, geometry, patch)
                    origin, step = address(patch, 0), span * channels
                for channel in range(0, out_channels, panel):
                    place = starts[i * right_stride + j] + (channel * taps + skipped * panel) * depth
                    dest = (line * out_width + column + start * right_stride) * out_channels + channel
                    tile(
                        kind, origin, channels, step, channels, down, 1, depth, depth, w, place, bias,
                        channel, out_channels - channel, flags, parameters, residual, scale, shift, out, dest,
                        pixel_step,
                    )  # fmt: skip
        if flags >> KIND:
            apply_post_activation(
                out, line * out_width * out_channels, out_width, out_channels, flags, parameters, scale, shift
            )
