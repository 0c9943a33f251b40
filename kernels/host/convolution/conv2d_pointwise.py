"""1×1 convolution: one matrix product per image and tile, straight from the input into the output."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.host.convolution.convolution import Algorithm
from lite.kernels.host.convolution.epilogue import Epilogue, tile_rows
from lite.ops.window import Window
from lite.plugin.kernel import Array


def pointwise(inputs: int, windows: Sequence[Window], outs: Sequence[int], itemsize: int) -> Algorithm:
    """For so many channels and `outs` ``[O, Ho, Wo]``; weights ``[groups, O/groups, C/groups]``."""
    outputs, height, width = outs
    step = tile_rows(height, outputs * width * itemsize)
    down, right = (w.stride for w in windows)
    is_copied = down > 1 or right > 1

    def sums(x: Array, weight: Array, out: Array, epilogue: Epilogue, room: Array) -> None:
        _sums(x[:, :, ::down, ::right], weight, out, epilogue, step, room)

    return Algorithm(sums, inputs * height * width if is_copied else 0, outputs * step * width)


def _sums(x: Array, weight: Array, out: Array, epilogue: Epilogue, step: int, room: Array) -> None:
    groups, per_group, inputs = weight.shape
    batch, _, height, width = out.shape
    sums = out.reshape(batch, groups, per_group, height * width)
    for n in range(batch):
        image = x[n]
        if room.size:
            image = room.reshape(image.shape)
            np.copyto(image, x[n])
        pixels = image.reshape(groups, inputs, height * width)
        for row in range(0, height, step):
            rows = slice(row, min(row + step, height))
            flat = slice(rows.start * width, rows.stop * width)
            np.matmul(weight, pixels[:, :, flat], out=sums[n, :, :, flat])
            epilogue.finish(out, n, slice(None), rows)
