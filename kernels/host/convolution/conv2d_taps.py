"""Convolution with few outputs as one matrix product per filter row, its taps summed with shifts.

Where there are fewer outputs than inputs this moves less than im2col, and the product is larger: all
taps of a filter row are computed at once, on the padded image itself.
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
    """For an image ``[C, H, W]`` and `outs` ``[O, Ho, Wo]``, strides of 1; weights ``[kh, kw·O, C]``."""
    outputs, height, width = outs
    right = windows[1]
    wide = width + right.extent - 1
    step = tile_rows(height, (right.kernel + 1) * outputs * wide * itemsize)
    border = padded_size(image, windows, (height, width))
    tile = outputs * step * wide

    def sums(x: Array, weight: Array, out: Array, epilogue: Epilogue, room: Array) -> None:
        with small_buffers():
            _sums(x, weight, windows, out, epilogue, step, room[:border], room[border:])

    return Algorithm(sums, border + (1 + right.kernel) * tile, tile)


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
    down, right = windows
    batch, outputs, height, width = out.shape
    wide = width + right.extent - 1
    sums = room[: outputs * step * wide].reshape(outputs, step, wide)
    flat_sums = sums.reshape(outputs, step * wide)
    products = room[sums.size :].reshape(right.kernel * outputs, step * wide)
    for n in range(batch):
        image = padded(x[n], windows, (height, width), room=border)[:, :, :wide]
        pixels = image.reshape(x.shape[1], -1)
        for row in range(0, height, step):
            rows = slice(row, min(row + step, height))
            count = (rows.stop - rows.start) * wide
            kept = count - (right.extent - 1)
            for i in range(down.kernel):
                start = (row + i * down.dilation) * wide
                product = products[:, :count]
                np.matmul(weight[i], pixels[:, start : start + count], out=product)
                for j in range(right.kernel):
                    shift = j * right.dilation
                    part = product[j * outputs : (j + 1) * outputs, shift : shift + kept]
                    if i == j == 0:
                        np.copyto(flat_sums[:, :kept], part)
                    else:
                        np.add(flat_sums[:, :kept], part, out=flat_sums[:, :kept])
            epilogue.store(sums[:, : rows.stop - row, :width], out, n, slice(None), rows)
