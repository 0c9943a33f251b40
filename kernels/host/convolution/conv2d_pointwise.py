"""1×1 convolution: one matrix product per image and tile, straight from the input into the output."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.host.convolution.convolution import Algorithm
from lite.kernels.host.convolution.epilogue import Epilogue, tile_rows
from lite.ops.window import Window
from lite.plugin.kernel import Array


def pointwise(inputs: int, windows: Sequence[Window], outs: Sequence[int], itemsize: int) -> Algorithm:
    """The algorithm for `inputs` channels and results `outs` ``[O, Ho, Wo]``.

    Packed weights are ``[groups, O/groups, C/groups]``.
    """
    outputs, height, width = outs
    step = tile_rows(height, outputs * width * itemsize)
    down, right = (w.stride for w in windows)
    is_copied = down > 1 or right > 1

    def compute(x: Array, weight: Array, out: Array, epilogue: Epilogue, workspace: Array) -> None:
        groups, per_group, per_group_inputs = weight.shape
        accumulator = out.reshape(len(out), groups, per_group, height * width)
        for n, target in enumerate(accumulator):
            image = x[n, :, ::down, ::right]
            if workspace.size:
                copied = workspace.reshape(image.shape)
                np.copyto(copied, image)
                image = copied
            pixels = image.reshape(groups, per_group_inputs, height * width)
            for row in range(0, height, step):
                rows = slice(row, min(row + step, height))
                flat = slice(rows.start * width, rows.stop * width)
                np.matmul(weight, pixels[:, :, flat], out=target[:, :, flat])
                epilogue.apply_in_place(out, n, slice(None), rows)

    return Algorithm(compute, inputs * height * width if is_copied else 0, outputs * step * width)
