"""Cross-correlation over any number of spatial axes, for what has no faster kernel of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.host.padded import padded, patches
from lite.ops.window import Window
from lite.plugin.kernel import Array


def correlate(x: Array, weight: Array, found: Sequence[Window], groups: int, fill: float = 0.0) -> Array:
    """`x` ``[N, C, …]`` with a filter ``[O, C/groups, …]`` → ``[N, O, …]``, in the type of the arrays.

    `fill` is what lies around the input.
    """
    batch, channels, *image = x.shape
    outputs = weight.shape[0]
    outs = [int(window.out(size)) for window, size in zip(found, image, strict=True)]
    columns = patches(padded(x, found, outs, fill), found, outs).reshape(
        batch, groups, channels // groups * int(np.prod(weight.shape[2:])), int(np.prod(outs))
    )
    sums: Array = np.matmul(weight.reshape(groups, outputs // groups, columns.shape[2]), columns)
    result: Array = sums.reshape(batch, outputs, *outs)
    return result
