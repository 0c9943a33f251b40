"""resize of float32 by weighted sums along one axis after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Job
from lite.kernels.cpu.native.launching import launching_in_turn
from lite.plugin.kernel import Array, KernelFunction, PrepareContext
from lite.plugin.kernel.run_context import PER_ELEMENT

_combine_lines, _combine_elements = (
    Function("resize.combine_lines"),
    Function("resize.combine_elements"),
)

_LARGEST = 2048
"""The largest axis: its weights are found from a matrix of all of them."""


def weighted(
    ctx: PrepareContext, shape: Sequence[int], along: Callable[[Array, int], Array]
) -> KernelFunction | None:
    """The function that resizes X of a shape; None where no axis changes, and for large axes.

    `along` resizes rows as X is resized along an axis.
    """
    jobs, sizes, between = [], list(shape), []
    for axis, size in enumerate(shape):
        if size == 1 == ctx.outputs["Out"][0].sizes[axis]:
            continue
        if size > _LARGEST:
            return None
        matrix = along(np.eye(size, dtype=np.float32), axis)
        if matrix.shape == (size, size) and (matrix == np.eye(size)).all():
            continue
        jobs.append(_job(matrix, math.prod(sizes[:axis]), math.prod(sizes[axis + 1 :])))
        sizes[axis] = matrix.shape[1]
        between.append(math.prod(sizes))
    if not jobs:
        return None
    scratch = [ctx.scratch((count,)) for count in between[:-1]]
    return launching_in_turn(jobs, scratch, ctx.outputs["Out"][0])


def _job(matrix: Array, outer: int, inner: int) -> Job:
    """The job that multiplies an axis by ``matrix[size, outs]``, whose columns have few elements, not 0."""
    size, outs = matrix.shape
    used = matrix.T != 0
    starts = used.argmax(axis=1)
    counts = np.where(used.any(axis=1), size - used[:, ::-1].argmax(axis=1) - starts, 0)
    taps = max(int(counts.max()), 1)
    places = np.minimum(starts[:, None] + np.arange(taps), size - 1)
    weights = np.where(np.arange(taps) < counts[:, None], matrix.T[np.arange(outs)[:, None], places], 0)
    common = FREE, FREE, starts, counts, weights.astype(np.float32), taps, size, outs
    cost = PER_ELEMENT * outer * inner * int(counts.sum())
    if inner == 1:
        return _combine_elements.bind(*common, count=outer, cost=cost)
    return _combine_lines.bind(*common, inner, count=outer * outs, cost=cost)
