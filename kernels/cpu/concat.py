"""concat."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import Function
from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel
from lite.plugin.share import PER_ELEMENT

_place_columns = Function("layout.place_columns")


@kernel("concat", "cpu", dtype=DType.FLOAT32)
def concat(X: list[Array], AxisTensor: Array | None, *, axis: int, out: Array | None = None) -> Array:
    """The tensors of X one after another along an axis."""
    place = integer(axis, AxisTensor) % max(X[0].ndim, 1)
    if place == 0 or any(x.dtype != np.float32 for x in X):
        return np.concatenate(X, axis=place, out=out)

    shape = [*X[0].shape]
    shape[place] = sum(x.shape[place] for x in X)
    joined = np.empty(shape, np.float32) if out is None else out
    rows = int(np.prod(shape[:place]))
    if joined.size == 0:
        return joined
    stride, column = joined.size // rows, 0
    for x in X:
        width = x.size // rows
        _place_columns(x, joined, width, stride, column, count=rows, cost=PER_ELEMENT * x.size)
        column += width
    return joined
