"""Reductions, running sums and products, and a loss."""

from __future__ import annotations

from lite.ir.types import UNKNOWN, Dim, DType, Shape
from lite.ops.attrs import choice, ints, number
from lite.ops.rules import checked_axis, total
from lite.ops.schema import Trait, op
from lite.ops.shape_input import element, elements
from lite.ops.view import Inferred, Meta, OpView


def _kept(shape: Shape, axes: set[int], keep: bool) -> Shape:
    one: tuple[Dim, ...] = (1,) if keep else ()
    result: Shape = ()
    for axis, dim in enumerate(shape):
        result += one if axis in axes else (dim,)
    return result


_TRUTHS = ("reduce_all", "reduce_any")


def _reduce(op: OpView) -> Meta:
    x = op["X"]
    dtype = DType.BOOL if op.op in _TRUTHS else op.dtype("out_dtype", x.dtype)
    if x.shape is None:
        return Meta(dtype, None)
    dim = elements(op, "dim", "AxisTensor")
    if dim is None:
        return Meta(dtype, (UNKNOWN,) * x.rank if op.flag("keep_dim") else None)
    known = [axis for axis in dim if axis is not None]
    if len(known) < len(dim) and not op.flag("reduce_all"):
        return Meta(dtype, (UNKNOWN,) * (x.rank - (0 if op.flag("keep_dim") else len(dim))))
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
    axis = checked_axis(op, x, op.integer("axis"), "attribute axis")
    return Meta(dtype, _kept(x.shape, {axis}, op.flag("keepdims")))


for _name, _about, _input in (
    ("logsumexp", "Logarithm of the sum of exp(X)", "X:float"),
    ("reduce_all", "Whether all elements are true, or not 0", "X"),
    ("reduce_any", "Whether any element is true, or not 0", "X"),
    ("reduce_max", "Maximum", "X"),
    ("reduce_mean", "Mean", "X"),
    ("reduce_min", "Minimum", "X"),
    ("reduce_prod", "Product", "X"),
    ("reduce_sum", "Sum", "X"),
):
    op(
        _name,
        f"{_about} along axes.",
        f"{_input} AxisTensor?:index",
        "Out",
        _reduce,
        attrs={
            "dim": ints(0),
            "keep_dim": False,
            "reduce_all": False,
            "in_dtype": -1,
            "out_dtype": -1,
        },
        traits=(Trait.REDUCTION,),
        attr_slots={"AxisTensor": "dim"},
    )

op("mean", "Mean of all elements.", "X:float", "Out", _mean)

for _name, _which in (("arg_max", "greatest"), ("arg_min", "least")):
    op(
        _name,
        f"Index of the {_which} element along an axis.",
        "X",
        "Out",
        _arg,
        # select_last_index is ONNX's: the last of equal elements.
        attrs={
            "axis": number(-1),
            "keepdims": False,
            "flatten": False,
            "dtype": -1,
            "select_last_index": False,
        },
    )


def _cumsum(op: OpView) -> Meta:
    x = op["X"]
    if op.flag("flatten"):
        return Meta(x.dtype, (total(x.dims),))
    return _along(op, "axis")


def _cumprod(op: OpView) -> Meta:
    return _along(op, "dim")


def _along(op: OpView, attr: str) -> Meta:
    x, axis = op["X"], element(op, attr, "AxisTensor")
    if x.shape and axis is not None and not -len(x.shape) <= axis < len(x.shape):
        raise op.error(f"attribute {attr}", f"an axis of {x}", axis)
    return Meta(x.dtype, x.shape)


op(
    "cumsum",
    "Running sum along an axis.",
    "X:number AxisTensor?:index",
    "Out",
    _cumsum,
    # keep_single is litebridge's own: as in Paddle, exclusive does not change a tensor of one element.
    attrs={"axis": -1, "flatten": False, "exclusive": False, "reverse": False, "keep_single": True},
    attr_slots={"AxisTensor": "axis"},
    lod="X",
)
op(
    "cumprod",
    "Running product along an axis.",
    "X:number AxisTensor?:index",
    "Out",
    _cumprod,
    attrs={"dim": -1, "exclusive": False, "reverse": False},
    attr_slots={"AxisTensor": "dim"},
    lod="X",
)


def _nll_loss(op: OpView) -> Inferred:
    x = op["X"]
    if x.rank != op["Label"].rank + 1:
        raise op.error("Label", f"an axis less than X {x}", op["Label"])
    shape = op["Label"].dims if op.text("reduction") == "none" else ()
    return {"Out": Meta(x.dtype, shape), "Total_weight": Meta(x.dtype, ())}


op(
    "nll_loss",
    "Negative log-likelihood loss.",
    "X:float/2- Label:int/1- Weight?:float/1",
    "Out Total_weight?",
    _nll_loss,
    attrs={"ignore_index": -100, "reduction": choice("mean", "sum", "none")},
)
