"""Reductions over some or all axes."""

from __future__ import annotations

from lite.ir.types import Dim, DType, Shape
from lite.ops.schema import ints, number, op
from lite.ops.view import Meta, OpView

_REDUCTIONS = (
    "reduce_all",
    "reduce_any",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
)


def _kept(shape: Shape, axes: set[int], keep: bool) -> Shape:
    one: tuple[Dim, ...] = (1,) if keep else ()
    result: Shape = ()
    for axis, dim in enumerate(shape):
        result += one if axis in axes else (dim,)
    return result


def _reduce(op: OpView) -> Meta:
    x = op["X"]
    dtype = op.dtype("out_dtype", x.dtype)
    if x.shape is None:
        return Meta(dtype, None)
    axes = {x.axis(axis) for axis in op.integers("dim")}
    if op.flag("reduce_all") or not axes:
        axes = set(range(x.rank))
    if x.rank and not axes <= set(range(x.rank)):
        raise op.error("attribute dim", f"axes of {x}", op.integers("dim"))
    return Meta(dtype, _kept(x.shape, axes, op.flag("keep_dim")))


def _mean(op: OpView) -> Meta:
    return Meta(op["X"].dtype, ())


def _arg(op: OpView) -> Meta:
    x = op["X"]
    dtype = op.dtype("dtype", DType.INT64)
    if x.shape is None:
        return Meta(dtype, None)
    if op.flag("flatten"):
        return Meta(dtype, (1,) * x.rank if op.flag("keepdims") else ())
    axis = op.integer("axis")
    if not -max(x.rank, 1) <= axis < max(x.rank, 1):
        raise op.error("attribute axis", f"an axis of {x}", axis)
    return Meta(dtype, _kept(x.shape, {x.axis(axis)}, op.flag("keepdims")))


for _name in _REDUCTIONS:
    op(
        _name,
        "X:bool" if _name in ("reduce_all", "reduce_any") else "X",
        "Out",
        _reduce,
        attrs={
            "dim": ints(0),
            "keep_dim": False,
            "reduce_all": False,
            "in_dtype": -1,
            "out_dtype": -1,
        },
    )

op("mean", "X:float", "Out", _mean)

for _name in ("arg_max", "arg_min"):
    op(
        _name,
        "X",
        "Out",
        _arg,
        attrs={"axis": number(-1), "keepdims": False, "flatten": False, "dtype": -1},
    )
