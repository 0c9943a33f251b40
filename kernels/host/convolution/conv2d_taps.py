"""Convolution with few outputs as one matrix product per filter row, its taps summed with shifts.

Where there are fewer outputs than inputs this moves fewer bytes than im2col, and the product is larger: all
taps of a filter row are computed at once, on the padded image.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.host.buffering import small_buffers
from lite.kernels.host.convolution.convolution import Algorithm
from lite.kernels.host.convolution.epilogue import Epilogue, tile_rows
from lite.kernels.host.padded import padded, padded_size
from lite.ops.window import Window
from lite.plugin.kernel import Array


def taps(image: Sequence[int], windows: Sequence[Window], outs: Sequence[int], itemsize: int) -> Algorithm:
    """The algorithm for strides of 1, an image ``[C, H, W]`` and results `outs` ``[O, Ho, Wo]``.

    Packed weights are ``[kh, kw·O, C]``.
    """
    outputs, height, width = outs
    down, right = windows
    wide = width + right.extent - 1
    step = tile_rows(height, (right.kernel + 1) * outputs * wide * itemsize)
    border = padded_size(image, windows, (height, width))
    tile = outputs * step * wide

    def compute(x: Array, weight: Array, out: Array, epilogue: Epilogue, workspace: Array) -> None:
        accumulator = workspace[border : border + tile].reshape(outputs, step * wide)
        products = workspace[border + tile :].reshape(right.kernel * outputs, step * wide)
        with small_buffers():
            for n in range(len(out)):
                bordered = padded(x[n], windows, (height, width), workspace=workspace[:border])
                pixels = bordered[:, :, :wide].reshape(x.shape[1], -1)
                for row in range(0, height, step):
                    rows = slice(row, min(row + step, height))
                    count = (rows.stop - rows.start) * wide
                    total = accumulator[:, : count - (right.extent - 1)]
                    for i in range(down.kernel):
                        start = (row + i * down.dilation) * wide
                        product = products[:, :count]
                        np.matmul(weight[i], pixels[:, start : start + count], out=product)
                        for j in range(right.kernel):
                            shift = j * right.dilation
                            part = product[j * outputs : (j + 1) * outputs, shift : shift + total.shape[1]]
                            if i == j == 0:
                                np.copyto(total, part)
                            else:
                                np.add(total, part, out=total)
                    finished = accumulator.reshape(outputs, step, wide)[:, : rows.stop - row, :width]
                    epilogue.apply(finished, out, n, slice(None), rows)

    return Algorithm(compute, border + (1 + right.kernel) * tile, tile)
