"""1×1 convolution: one matrix product per image, straight from the input into the output."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.epilogue import Epilogue, tile_rows
from lite.plugin.kernel import Array


def pointwise(x: Array, weight: Array, out: Array, epilogue: Epilogue) -> None:
    """`x` ``[N, C, H, W]``, `weight` ``[groups, O/groups, C/groups]``, `out` ``[N, O, H, W]``."""
    groups, per_group, inputs = weight.shape
    batch, channels, height, width = out.shape
    pixels = x.reshape(batch, groups, inputs, height * width)
    sums = out.reshape(batch, groups, per_group, height * width)
    step = tile_rows(height, channels * width * out.itemsize)
    for n in range(batch):
        for row in range(0, height, step):
            rows = slice(row, min(row + step, height))
            flat = slice(rows.start * width, rows.stop * width)
            np.matmul(weight, pixels[n, :, :, flat], out=sums[n, :, :, flat])
            epilogue.finish(out, n, slice(None), rows)
