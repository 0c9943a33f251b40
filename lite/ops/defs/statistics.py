"""Order statistics along an axis, running extrema, and runs of equal elements."""

from __future__ import annotations

from lite.ir.types import UNKNOWN, Dim, DType, Shape
from lite.ops.attrs import choice, ints, longs, number
from lite.ops.rules import checked_axis, total
from lite.ops.schema import op
from lite.ops.view import Inferred, Meta, OpView


def _without(op: OpView, x: Meta, axes: list[int]) -> Shape:
    """The dimensions of x without `axes`, which are 1 with `keepdim`."""
    one: tuple[Dim, ...] = (1,) if op.flag("keepdim") else ()
    dims: Shape = ()
    for axis, dim in enumerate(x.dims):
        dims += one if axis in axes else (dim,)
    return dims


def _with_indices(op: OpView) -> Inferred:
    x = op["X"]
    shape = _without(op, x, [checked_axis(op, x, op.integer("axis"), "attribute axis")] if x.rank else [])
    return {"Out": Meta(x.dtype, shape), "Indices": Meta(DType.INT64, shape)}


def _median(op: OpView) -> Inferred:
    slot, out, index = ("x", "out", "medians") if op.op == "median" else ("X", "Out", "MedianIndex")
    x = op[slot]
    axes = [checked_axis(op, x, axis, "attribute axis") for axis in op.integers("axis")]
    dtype = x.dtype if x.dtype.is_float or op.text("mode") == "min" else DType.FLOAT32
    shape = _without(op, x, axes or list(range(x.rank)))
    return {out: Meta(dtype, shape), index: Meta(DType.INT64, None)}


def _running(op: OpView) -> Inferred:
    x = op["x"]
    shape = x.dims if x.rank else ()
    return {"out": Meta(x.dtype, shape), "indices": Meta(op.dtype("dtype", DType.INT64), shape)}


def _logcumsumexp(op: OpView) -> Meta:
    x = op["X"]
    return Meta(x.dtype, (total(x.dims),) if op.flag("flatten") else x.shape)


def _runs(op: OpView) -> Inferred:
    x, axes, dtype = op["X"], op.integers("axis"), op.dtype("dtype", DType.INT64)
    axis = checked_axis(op, x, axes[0], "attribute axis") if axes else 0
    shape = (*x.dims[:axis], UNKNOWN, *x.dims[axis + 1 :]) if axes else (UNKNOWN,)
    positions = Meta(dtype, (x.dims[axis] if axes else total(x.dims),))
    return {"Out": Meta(x.dtype, shape), "Index": positions, "Counts": Meta(dtype, (UNKNOWN,))}


op(
    "kthvalue",
    "The k-th least element along an axis, and its index.",
    "X:number",
    "Out Indices?",
    _with_indices,
    attrs={"k": number(1, low=1), "axis": -1, "keepdim": False},
)
op(
    "mode",
    "The most frequent element along an axis, and an index of it.",
    "X:number",
    "Out Indices?",
    _with_indices,
    attrs={"axis": -1, "keepdim": False},
)
op(
    "median",
    "The median along axes: the mean of the two in the middle, or the lower one.",
    "x:number",
    "out medians?",
    _median,
    attrs={"axis": longs(), "keepdim": False, "mode": choice("avg", "min")},
)
op(
    "nanmedian",
    "The median along axes of the elements that are not NaN.",
    "X:number",
    "Out MedianIndex?",
    _median,
    attrs={"axis": ints(), "keepdim": False, "mode": choice("avg", "min")},
)
for _name, _which in (("cummax", "greatest"), ("cummin", "least")):
    op(
        _name,
        f"The {_which} element up to each one along an axis, and its index.",
        "x:number",
        "out indices?",
        _running,
        attrs={"axis": -1, "dtype": 3},
    )
op(
    "logcumsumexp",
    "Logarithms of running sums of exp(X) along an axis.",
    "X:float",
    "Out",
    _logcumsumexp,
    attrs={"axis": -1, "flatten": False, "exclusive": False, "reverse": False},
)
op(
    "unique_consecutive",
    "The first element or slice of each run of equal ones.",
    "X",
    "Out Index? Counts?",
    _runs,
    attrs={"return_inverse": False, "return_counts": False, "axis": ints(), "dtype": 3},
)
