"""Convolution as one matrix product per tile and group, on columns copied from the windows (im2col)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.kernels.host.convolution.convolution import Algorithm
from lite.kernels.host.convolution.epilogue import Epilogue, tile_rows
from lite.kernels.host.padded import padded, padded_size, patches
from lite.ops.window import Window
from lite.plugin.kernel import Array


def im2col(image: Sequence[int], windows: Sequence[Window], outs: Sequence[int], itemsize: int) -> Algorithm:
    """For an image ``[C, H, W]`` and `outs` ``[O, Ho, Wo]``.

    Weights are ``[groups, O/groups, C/groups·kh·kw]``.
    """
    outputs, height, width = outs
    depth = image[0] * math.prod(w.kernel for w in windows)
    step = tile_rows(height, (depth + outputs) * width * itemsize)
    border = padded_size(image, windows, (height, width))

    def sums(x: Array, weight: Array, out: Array, epilogue: Epilogue, room: Array) -> None:
        _sums(x, weight, windows, out, epilogue, step, room[:border], room[border:])

    return Algorithm(sums, border + depth * step * width, outputs * step * width)


def _sums(
    x: Array,
    weight: Array,
    windows: Sequence[Window],
    out: Array,
    epilogue: Epilogue,
    step: int,
    border: Array,
    room: Array,
) -> None:
    groups, per_group, depth = weight.shape
    batch, _, height, width = out.shape
    sums = out.reshape(batch, groups, per_group, height * width)
    for n in range(batch):
        image = padded(x[n], windows, (height, width), room=border)
        view = patches(image, windows, (height, width))
        for row in range(0, height, step):
            rows = slice(row, min(row + step, height))
            flat = slice(rows.start * width, rows.stop * width)
            tile = view[:, :, :, rows]
            columns = room[: groups * depth * (flat.stop - flat.start)].reshape(groups, depth, -1)
            np.copyto(columns.reshape(tile.shape), tile)
            np.matmul(weight, columns, out=sums[n, :, :, flat])
            epilogue.finish(out, n, slice(None), rows)
