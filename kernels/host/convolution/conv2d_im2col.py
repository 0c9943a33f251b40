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
    """The algorithm for an image ``[C, H, W]`` and results `outs` ``[O, Ho, Wo]``.

    Packed weights are ``[groups, O/groups, C/groups·kh·kw]``.
    """
    outputs, height, width = outs
    depth = image[0] * math.prod(w.kernel for w in windows)
    step = tile_rows(height, (depth + outputs) * width * itemsize)
    border = padded_size(image, windows, (height, width))

    def compute(x: Array, weight: Array, out: Array, epilogue: Epilogue, workspace: Array) -> None:
        groups, per_group, group_depth = weight.shape
        accumulator = out.reshape(len(out), groups, per_group, height * width)
        for n, target in enumerate(accumulator):
            bordered = padded(x[n], windows, (height, width), workspace=workspace[:border])
            view = patches(bordered, windows, (height, width))
            for row in range(0, height, step):
                rows = slice(row, min(row + step, height))
                flat = slice(rows.start * width, rows.stop * width)
                tile = view[:, :, :, rows]
                columns = workspace[border : border + tile.size].reshape(groups, group_depth, -1)
                np.copyto(columns.reshape(tile.shape), tile)
                np.matmul(weight, columns, out=target[:, :, flat])
                epilogue.apply_in_place(out, n, slice(None), rows)

    return Algorithm(compute, border + depth * step * width, outputs * step * width)
