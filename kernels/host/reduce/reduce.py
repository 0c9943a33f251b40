"""Reductions over some or all axes."""

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np

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


def _selection(function: Callable[..., Array]) -> KernelFunction:
    def run(
        X: Array,
        AxisTensor: Array | None = None,
        *,
        dim: Sequence[int] = (0,),
        keep_dim: bool = False,
        reduce_all: bool = False,
        out_dtype: int = -1,
        out: Array | None = None,
    ) -> Array:
        axes = _axes(integers(dim, AxisTensor), reduce_all, X.ndim)
        if any(X.shape[axis] == 0 for axis in axes):
            result = _of_nothing(function, X, axes, keep_dim)
            return write(out, result.astype(_dtype(X, out_dtype), copy=False))
        if out is not None:
            return function(X, axes, keepdims=keep_dim, out=out)
        result = np.asarray(function(X, axes, keepdims=keep_dim))
        return result.astype(_dtype(X, out_dtype), copy=False)

    return run


def _sum(function: Callable[..., Array]) -> KernelFunction:
    def run(
        X: Array,
        AxisTensor: Array | None = None,
        *,
        dim: Sequence[int] = (0,),
        keep_dim: bool = False,
        reduce_all: bool = False,
        out_dtype: int = -1,
        out: Array | None = None,
    ) -> Array:
        axes = _axes(integers(dim, AxisTensor), reduce_all, X.ndim)
        dtype = _dtype(X, out_dtype)
        # A mean of integers is cut off, not its terms.
        wide = np.float64 if function is np.mean and dtype.kind in "iub" else compute_dtype(dtype)
        if wide == dtype:
            return np.asarray(function(X, axes, dtype=dtype, keepdims=keep_dim, out=out))
        result = np.asarray(function(X, axes, dtype=wide, keepdims=keep_dim)).astype(dtype)
        return write(out, result)

    return run


def _prepare(function: Callable[..., Array], ctx: PrepareContext) -> KernelFunction | None:
    """Axes and divisor found once, for floats that are summed as they are."""
    x, y, attrs = ctx.inputs["X"][0], ctx.outputs["Out"][0], ctx.attrs
    if ctx.inputs.get("AxisTensor") or x.dtype is not y.dtype:
        return None
    dtype, keep_dim = x.dtype.numpy, attrs.flag("keep_dim")
    if dtype not in (np.float32, np.float64):
        return None
    shape, goal = x.sizes, y.sizes
    axes = _axes(attrs.integers("dim"), attrs.flag("reduce_all"), len(shape))
    count = math.prod(shape[axis] for axis in axes)
    if count == 1:

        def copy(X: Array, AxisTensor: Array | None = None, *, out: Array | None = None) -> Array:
            return X.reshape(goal).copy() if out is None else write(out, X.reshape(goal))

        return copy
    if count == 0:
        return None
    reduce = _UFUNCS[function].reduce

    def run(X: Array, AxisTensor: Array | None = None, *, out: Array | None = None) -> Array:
        result = np.empty(goal, dtype) if out is None else out
        reduce(X, axis=axes, dtype=dtype, out=result, keepdims=keep_dim)
        return np.divide(result, count, result) if function is np.mean else result

    return run


def _of_nothing(function: Callable[..., Array], X: Array, axes: tuple[int, ...], keep_dim: bool) -> Array:
    """The extreme of no elements: the least number there is for a maximum, the greatest for a minimum."""
    if function not in (np.max, np.min):
        return np.asarray(function(X, axes, keepdims=keep_dim))
    shape = np.sum(np.empty(X.shape, np.int8), axes, keepdims=keep_dim).shape
    least, greatest = (-np.inf, np.inf) if X.dtype.kind not in "iub" else (False, True)
    if X.dtype.kind in "iu":
        least, greatest = np.iinfo(X.dtype).min, np.iinfo(X.dtype).max
    return np.full(shape, least if function is np.max else greatest, X.dtype)


def _axes(dim: Sequence[int], reduce_all: bool, rank: int) -> tuple[int, ...]:
    if reduce_all or not dim or not rank:
        return tuple(range(rank))
    return tuple(sorted({axis % rank for axis in dim}))


def _dtype(X: Array, out_dtype: int) -> np.dtype[np.generic]:
    return X.dtype if out_dtype < 0 else DType.from_code(out_dtype).numpy


_UFUNCS: dict[Callable[..., Array], np.ufunc] = {
    np.max: np.maximum,
    np.mean: np.add,
    np.min: np.minimum,
    np.prod: np.multiply,
    np.sum: np.add,
}

for _name, _function in _SELECTIONS.items():
    _prepared = functools.partial(_prepare, _function) if _function in _UFUNCS else None
    kernel(_name, prepare=_prepared)(_selection(_function))

for _name, _function in _SUMS.items():
    kernel(_name, prepare=functools.partial(_prepare, _function))(_sum(_function))


_total_mean: Callable[..., Array] = _sum(np.mean)


@kernel("mean")
def mean(X: Array, *, out: Array | None = None) -> Array:
    """The mean of all elements, without axes."""
    return _total_mean(X, reduce_all=True, out=out)


@kernel("logsumexp")
def logsumexp(
    X: Array,
    AxisTensor: Array | None = None,
    *,
    dim: Sequence[int] = (0,),
    keep_dim: bool = False,
    reduce_all: bool = False,
    out_dtype: int = -1,
    out: Array | None = None,
) -> Array:
    """log(sum(exp(X))) over axes, computed around the maximum so that nothing overflows."""
    wanted = integers(dim, AxisTensor)
    axes = tuple(range(X.ndim)) if reduce_all or not wanted else tuple({axis % X.ndim for axis in wanted})
    x = widened(X)
    top = np.max(x, axes, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    # Of no elements, or of -inf alone, the sum is 0 and its logarithm -inf; +inf stays +inf.
    with np.errstate(divide="ignore", over="ignore"):
        result = np.log(np.exp(x - top).sum(axes, keepdims=True)) + top
    result = result if keep_dim else result.squeeze(axes)
    return write(out, result.astype(X.dtype if out_dtype < 0 else DType.from_code(out_dtype).numpy))
