"""Reductions over some or all axes."""

from __future__ import annotations

from lite.ir.types import UNKNOWN, Dim, DType, Shape
from lite.ops.schema import ints, number, op
from lite.ops.shape_input import elements
from lite.ops.view import Meta, OpView

_REDUCTIONS = (
    "logsumexp",
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
    given = elements(op, "dim", "AxisTensor")
    if given is None:
        return Meta(dtype, (UNKNOWN,) * x.rank if op.flag("keep_dim") else None)
    known = [axis for axis in given if axis is not None]
    if len(known) < len(given) and not op.flag("reduce_all"):
        return Meta(dtype, (UNKNOWN,) * (x.rank - (0 if op.flag("keep_dim") else len(given))))
    axes = {x.axis(axis) for axis in known}
    if op.flag("reduce_all") or not axes:
        axes = set(range(x.rank))
    if x.rank and not axes <= set(range(x.rank)):
        raise op.error("attribute dim", f"axes of {x}", known)
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


_INPUTS = {"logsumexp": "X:float", "reduce_all": "X:bool", "reduce_any": "X:bool"}

for _name in _REDUCTIONS:
    op(
        _name,
        f"{_INPUTS.get(_name, 'X')} AxisTensor?:index",
        "Out",
        _reduce,
        attrs={
            "dim": ints(0),
            "keep_dim": False,
            "reduce_all": False,
            "in_dtype": -1,
            "out_dtype": -1,
        },
        attr_slots={"AxisTensor": "dim"},
    )

op("mean", "X:float", "Out", _mean)

for _name in ("arg_max", "arg_min"):
    op(
        _name,
        "X",
        "Out",
        _arg,
        # select_last_index is ONNX's: of equal elements, the last.
        attrs={
            "axis": number(-1),
            "keepdims": False,
            "flatten": False,
            "dtype": -1,
            "select_last_index": False,
        },
    )
