"""Reductions of float32 over neighbouring axes, and the mean of all elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.elementwise.arithmetic import MAXIMUM, MINIMUM, PRODUCT, SUM
from lite.kernels.cpu.host import host_function, on_host
from lite.kernels.cpu.native.function import FREE, Function, Job
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_reduce_rows, _reduce_columns = Function("reduce.reduce_rows"), Function("reduce.reduce_columns")

_KINDS = {
    "mean": SUM,
    "reduce_max": MAXIMUM,
    "reduce_mean": SUM,
    "reduce_min": MINIMUM,
    "reduce_prod": PRODUCT,
    "reduce_sum": SUM,
}

_MEANS = ("mean", "reduce_mean")


def split(shape: Sequence[int], axes: Sequence[int]) -> tuple[int, int, int] | None:
    """`shape` as ``[outer, axis, inner]`` where `axes` are the one in the middle; None if they lie apart.

    Axes of size 1 are not between others, and nothing is left of an empty tensor.
    """
    wide = [n for n, size in enumerate(shape) if size != 1]
    places = [place for place, n in enumerate(wide) if n in axes]
    if 0 in shape or not places or places[-1] - places[0] >= len(places):
        return None
    sizes = [shape[n] for n in wide]
    first, last = places[0], places[-1] + 1
    return math.prod(sizes[:first]), math.prod(sizes[first:last]), math.prod(sizes[last:])


def _prepare(op: str) -> Callable[[PrepareContext], KernelFunction | None]:
    def prepare(ctx: PrepareContext) -> KernelFunction | None:
        attrs: Any = ctx.attrs
        x, y = ctx.inputs["X"][0], ctx.outputs["Out"][0]
        if not (x.is_static and y.is_static) or y.dtype is not DType.FLOAT32 or ctx.inputs.get("AxisTensor"):
            return None
        shape = [int(dim) for dim in x.dims if isinstance(dim, int)]
        axes = {axis % max(len(shape), 1) for axis in attrs.get("dim", ())}
        if op == "mean" or attrs["reduce_all"] or not axes:
            axes = set(range(len(shape)))
        sizes = split(shape, sorted(axes))
        if sizes is None:
            return host_function(op, ctx)
        reduce = _reduction(_KINDS[op], *sizes, is_mean=op in _MEANS)
        out_shape = tuple(int(dim) for dim in y.dims if isinstance(dim, int))

        def run(X: Array, AxisTensor: Array | None = None, *, out: Array | None = None) -> Array:
            result = np.empty(out_shape, np.float32) if out is None else out
            reduce(X, result)
            return result

        return run

    return prepare


def _reduction(kind: int, outer: int, axis: int, inner: int, *, is_mean: bool) -> Job:
    divisor, cost = axis if is_mean else 1, PER_ELEMENT * outer * axis * inner
    if inner == 1:
        return _reduce_rows.bind(FREE, FREE, kind, axis, divisor, count=outer, cost=cost)
    from lite.kernels.cpu.work_items import REDUCED_COLUMNS

    strips = outer * -(-inner // REDUCED_COLUMNS)
    return _reduce_columns.bind(FREE, FREE, kind, axis, inner, divisor, count=strips, cost=cost)


def _reduce(op: str) -> KernelFunction:
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
        attrs = {"dim": dim, "keep_dim": keep_dim, "reduce_all": reduce_all, "out_dtype": out_dtype}
        return on_host(op, {"X": X, "AxisTensor": AxisTensor}, attrs, out)

    return run


for _op in ("reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum"):
    kernel(_op, "cpu", dtype=DType.FLOAT32, prepare=_prepare(_op))(_reduce(_op))


@kernel("mean", "cpu", dtype=DType.FLOAT32, prepare=_prepare("mean"))
def mean(X: Array, *, out: Array | None = None) -> Array:
    """The mean of all elements, without axes."""
    return on_host("mean", {"X": X}, {}, out)
