"""softmax over the last axis."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.host import on_host
from lite.kernels.cpu.native.function import Function
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_softmax_rows = Function("rows.softmax_rows")

_PASSES = 4
"""How much more than a copy it costs."""


@kernel("softmax", "cpu", dtype=DType.FLOAT32)
def softmax(X: Array, *, axis: int = -1, out: Array | None = None) -> Array:
    """exp(X) / sum(exp(X)) along an axis."""
    if X.dtype != np.float32 or not X.size or not X.ndim or axis not in (-1, X.ndim - 1):
        return on_host("softmax", {"X": X}, {"axis": axis}, out)
    result = np.empty(X.shape, np.float32) if out is None else out
    columns = X.shape[-1]
    _softmax_rows(X, result, columns, count=X.size // columns, cost=_PASSES * PER_ELEMENT * X.size)
    return result
