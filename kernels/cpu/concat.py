"""concat."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.arrays import packed
from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel
from lite.plugin.share import PER_ELEMENT, share


@kernel("concat", "cpu", dtype=DType.FLOAT32)
def concat(X: list[Array], AxisTensor: Array | None, *, axis: int, out: Array | None = None) -> Array:
    """The tensors of X one after another along an axis."""
    place = integer(axis, AxisTensor) % max(X[0].ndim, 1)
    if place == 0 or any(x.dtype != np.float32 for x in X):
        return np.concatenate(X, axis=place, out=out)
    from lite.kernels.cpu.compiled.layout import place_columns

    shape = [*X[0].shape]
    shape[place] = sum(x.shape[place] for x in X)
    joined = np.empty(shape, np.float32) if out is None else out
    rows = int(np.prod(shape[:place]))
    if joined.size == 0:
        return joined
    matrix = joined.reshape(rows, -1)
    parts = [packed(x).reshape(rows, -1) for x in X]

    def part(begin: int, end: int) -> None:
        column = 0
        for each in parts:
            place_columns(each, matrix, column, begin, end)
            column += each.shape[1]

    share(rows, PER_ELEMENT * joined.size, part)
    return joined
