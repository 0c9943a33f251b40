"""layer_norm and skip_layernorm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.host import on_host
from lite.kernels.cpu.native.function import Function
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_normalise_rows = Function("rows.normalise_rows")

_PASSES = 3
"""How much more than a copy it costs."""


@kernel("layer_norm", "cpu", dtype=DType.FLOAT32)
def layer_norm(
    X: Array,
    Scale: Array | None,
    Bias: Array | None,
    *,
    epsilon: float,
    begin_norm_axis: int,
    out: tuple[Array | None, ...] | None = None,
) -> tuple[Array, Array, Array]:
    """Mean 0 and variance 1 over the axes from `begin_norm_axis` on, then · Scale + Bias."""
    buffers: tuple[Any, ...] = out or (None, None, None)
    rows = math.prod(X.shape[:begin_norm_axis])
    y = np.empty(X.shape, np.float32) if buffers[0] is None else buffers[0]
    means, variances = (np.empty(rows, np.float32) if each is None else each for each in buffers[1:3])
    if X.size and _are_floats(X, Scale, Bias):
        _normalise(X, None, Scale, Bias, epsilon, rows, y, means, variances)
        return y, means, variances
    attrs = {"epsilon": epsilon, "begin_norm_axis": begin_norm_axis}
    found: Any = on_host("layer_norm", {"X": X, "Scale": Scale, "Bias": Bias}, attrs, None)
    for buffer, result in zip((y, means, variances), found, strict=True):
        np.copyto(buffer, result, casting="same_kind")
    return y, means, variances


@kernel("skip_layernorm", "cpu", dtype=DType.FLOAT32)
def skip_layernorm(
    X: Array,
    Y: Array,
    Scale: Array | None,
    Bias: Array | None,
    *,
    epsilon: float,
    begin_norm_axis: int,
    out: Array | None = None,
) -> Array:
    """layer_norm of X + Y over the axes from `begin_norm_axis` on."""
    if X.shape != Y.shape or not X.size or not _are_floats(X, Y, Scale, Bias):
        attrs = {"epsilon": epsilon, "begin_norm_axis": begin_norm_axis}
        return on_host("skip_layernorm", {"X": X, "Y": Y, "Scale": Scale, "Bias": Bias}, attrs, out)
    result = np.empty(X.shape, np.float32) if out is None else out
    rows = math.prod(X.shape[:begin_norm_axis])
    _normalise(X, Y, Scale, Bias, epsilon, rows, result, *np.empty((2, rows), np.float32))
    return result


def _are_floats(*arrays: Array | None) -> bool:
    return all(array is None or array.dtype == np.float32 for array in arrays)


def _normalise(
    x: Array,
    y: Array | None,
    scale: Array | None,
    bias: Array | None,
    epsilon: float,
    rows: int,
    out: Array,
    means: Array,
    variances: Array,
) -> None:
    columns = x.size // rows
    factor = np.ones(columns, np.float32) if scale is None else scale
    shift = np.zeros(columns, np.float32) if bias is None else bias
    _normalise_rows(
        x, y, factor, shift, epsilon, out, means, variances, int(y is not None), columns,
        count=rows, cost=_PASSES * PER_ELEMENT * x.size,
    )  # fmt: skip
