"""Convolution as one matrix product per tile and group, on columns copied from the windows (im2col)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.host.epilogue import Epilogue, tile_rows
from lite.kernels.host.padded import padded, patches
from lite.ops.window import Window
from lite.plugin.kernel import Array


def im2col(x: Array, weight: Array, windows: Sequence[Window], out: Array, epilogue: Epilogue) -> None:
    """`x` ``[N, C, H, W]``, `weight` ``[groups, O/groups, C/groups·kh·kw]``, `out` ``[N, O, Ho, Wo]``."""
    groups, per_group, depth = weight.shape
    batch, _, height, width = out.shape
    sums = out.reshape(batch, groups, per_group, height * width)
    step = tile_rows(height, groups * (depth + per_group) * width * out.itemsize)
    scratch = np.empty(groups * depth * step * width, x.dtype)
    for n in range(batch):
        view = patches(padded(x[n], windows, (height, width)), windows, (height, width))
        for row in range(0, height, step):
            rows = slice(row, min(row + step, height))
            flat = slice(rows.start * width, rows.stop * width)
            tile = view[:, :, :, rows]
            columns = scratch[: groups * depth * (flat.stop - flat.start)].reshape(groups, depth, -1)
            np.copyto(columns.reshape(tile.shape), tile)
            np.matmul(weight, columns, out=sums[n, :, :, flat])
            epilogue.finish(out, n, slice(None), rows)
