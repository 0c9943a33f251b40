"""Reductions over some or all axes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import DType
from lite.kernels.host.compute_dtype import compute_dtype, widened
from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel, write

_SELECTIONS: dict[str, Callable[..., Array]] = {
    "reduce_all": np.all,
    "reduce_any": np.any,
    "reduce_max": np.max,
    "reduce_min": np.min,
}

_SUMS: dict[str, Callable[..., Array]] = {
    "reduce_mean": np.mean,
    "reduce_prod": np.prod,
    "reduce_sum": np.sum,
}

_UFUNCS: dict[Callable[..., Array], np.ufunc] = {
    np.max: np.maximum,
    np.mean: np.add,
    np.min: np.minimum,
    np.prod: np.multiply,
    np.sum: np.add,
}


@dataclass(frozen=True)
class _Attributes:
    dim: tuple[int, ...] = (0,)
    keep_dim: bool = False
    reduce_all: bool = False
    out_dtype: int = -1

    def axes(self, rank: int, tensor: Array | None = None) -> tuple[int, ...]:
        """The reduced axes of an input of this rank: AxisTensor, else `dim`, else all axes."""
        dim = integers(self.dim, tensor)
        if self.reduce_all or not dim or not rank:
            return tuple(range(rank))
        return tuple(sorted({axis % rank for axis in dim}))

    def dtype(self, x: Array) -> np.dtype[np.generic]:
        """The element type of the result."""
        return x.dtype if self.out_dtype < 0 else DType.from_code(self.out_dtype).numpy


def _selection(function: Callable[..., Array]) -> KernelFunction:
    def run(
        X: Array, AxisTensor: Array | None = None, *, attrs: _Attributes, out: Array | None = None
    ) -> Array:
        axes = attrs.axes(X.ndim, AxisTensor)
        if any(X.shape[axis] == 0 for axis in axes):
            result = _of_no_elements(function, X, axes, attrs.keep_dim)
            return write(out, result.astype(attrs.dtype(X), copy=False))
        if out is not None:
            return function(X, axes, keepdims=attrs.keep_dim, out=out)
        result = np.asarray(function(X, axes, keepdims=attrs.keep_dim))
        return result.astype(attrs.dtype(X), copy=False)

    return run


def _sum(function: Callable[..., Array]) -> KernelFunction:
    def run(
        X: Array, AxisTensor: Array | None = None, *, attrs: _Attributes, out: Array | None = None
    ) -> Array:
        axes, dtype = attrs.axes(X.ndim, AxisTensor), attrs.dtype(X)
        # A mean of integers is truncated, but its terms are not.
        wide = np.float64 if function is np.mean and dtype.kind in "iub" else compute_dtype(dtype)
        if wide == dtype:
            return np.asarray(function(X, axes, dtype=dtype, keepdims=attrs.keep_dim, out=out))
        result = np.asarray(function(X, axes, dtype=wide, keepdims=attrs.keep_dim)).astype(dtype)
        return write(out, result)

    return run


def _prepare(function: Callable[..., Array], ctx: PrepareContext) -> KernelFunction | None:
    """A reduction of float32 or float64 to the same type, with axes and divisor computed once."""
    x, y, attrs = ctx.inputs["X"][0], ctx.outputs["Out"][0], ctx.attrs.read(_Attributes)
    dtype = x.dtype.numpy
    if ctx.inputs.get("AxisTensor") or x.dtype is not y.dtype or dtype not in (np.float32, np.float64):
        return None
    shape, out_shape = x.sizes, y.sizes
    axes = attrs.axes(len(shape))
    count = math.prod(shape[axis] for axis in axes)
    if count == 1:

        def copy(X: Array, AxisTensor: Array | None = None, *, out: Array | None = None) -> Array:
            return X.reshape(out_shape).copy() if out is None else write(out, X.reshape(out_shape))

        return copy
    if count == 0:
        return None
    reduce = _UFUNCS[function].reduce

    def run(X: Array, AxisTensor: Array | None = None, *, out: Array | None = None) -> Array:
        result = np.empty(out_shape, dtype) if out is None else out
        reduce(X, axis=axes, dtype=dtype, out=result, keepdims=attrs.keep_dim)
        return np.divide(result, count, result) if function is np.mean else result

    return run


def _of_no_elements(function: Callable[..., Array], X: Array, axes: tuple[int, ...], keep_dim: bool) -> Array:
    """The maximum of no elements is the least number of the dtype, their minimum the greatest."""
    if function not in (np.max, np.min):
        return np.asarray(function(X, axes, keepdims=keep_dim))
    shape = np.sum(np.empty(X.shape, np.int8), axes, keepdims=keep_dim).shape
    least, greatest = (-np.inf, np.inf) if X.dtype.kind not in "iub" else (False, True)
    if X.dtype.kind in "iu":
        least, greatest = np.iinfo(X.dtype).min, np.iinfo(X.dtype).max
    return np.full(shape, least if function is np.max else greatest, X.dtype)


for _name, _function in _SELECTIONS.items():
    _prepared = functools.partial(_prepare, _function) if _function in _UFUNCS else None
    kernel(_name, attrs=_Attributes, prepare=_prepared)(_selection(_function))

for _name, _function in _SUMS.items():
    kernel(_name, attrs=_Attributes, prepare=functools.partial(_prepare, _function))(_sum(_function))

_total_mean: Callable[..., Array] = _sum(np.mean)


@kernel("mean")
def mean(X: Array, *, out: Array | None = None) -> Array:
    """Paddle mean: the mean of all elements, a scalar of shape []."""
    return _total_mean(X, attrs=_Attributes(reduce_all=True), out=out)


@kernel("logsumexp", attrs=_Attributes)
def logsumexp(
    X: Array, AxisTensor: Array | None = None, *, attrs: _Attributes, out: Array | None = None
) -> Array:
    """Paddle logsumexp: log(sum(exp(X))) over axes, computed around the maximum so that nothing overflows."""
    axes = attrs.axes(X.ndim, AxisTensor)
    x = widened(X)
    top = np.max(x, axes, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    # For no elements, or only -inf, the sum is 0 and its logarithm -inf; +inf stays +inf.
    with np.errstate(divide="ignore", over="ignore"):
        result = np.log(np.exp(x - top).sum(axes, keepdims=True)) + top
    result = result if attrs.keep_dim else result.squeeze(axes)
    return write(out, result.astype(attrs.dtype(X)))
