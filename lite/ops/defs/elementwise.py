"""Arithmetic of two tensors, with Paddle's `axis` and with a fused activation."""

from __future__ import annotations

from typing import TypeVar

from lite.errors import GraphError
from lite.ir.program import AttrValue
from lite.ir.types import Dim, DType, Shape
from lite.ops.rules import broadcast, broadcast_right
from lite.ops.schema import Attr, floats, op
from lite.ops.view import Meta, OpView

D = TypeVar("D", int, Dim)

_ARITHMETIC = (
    "elementwise_add",
    "elementwise_div",
    "elementwise_floordiv",
    "elementwise_max",
    "elementwise_min",
    "elementwise_mod",
    "elementwise_mul",
    "elementwise_pow",
    "elementwise_sub",
)


def aligned(first: tuple[D, ...], second: tuple[D, ...], axis: int) -> tuple[tuple[D, ...], tuple[D, ...]]:
    """Two shapes padded with ones to equal rank: the one of lower rank starts at `axis` of the other.

    -1 aligns the last axes.  Ones at the end of the lower one that reach beyond the other are dropped
    (a size that is not known yet can only be one there); raises `GraphError` when more reaches beyond.
    """
    if len(first) < len(second):
        return _placed(first, len(second), axis), second
    if len(second) < len(first):
        return first, _placed(second, len(first), axis)
    return first, second


def broadcast_at_axis(op: OpView) -> Shape | None:
    """The shape of an op of slots X and Y with attribute `axis`; None when a rank is not known."""
    first, second = op["X"].shape, op["Y"].shape
    if first is None or second is None:
        return None
    try:
        padded = aligned(first, second, op.integer("axis"))
    except GraphError as error:
        raise GraphError(f"{op.op}: {error}") from error
    return broadcast(op, *padded)


def _placed(shape: tuple[D, ...], rank: int, axis: int) -> tuple[D, ...]:
    if not shape:
        return (1,) * rank
    start = rank - len(shape) if axis == -1 else axis
    kept = len(shape)
    while start + kept > rank and kept and not _surely_not_one(shape[kept - 1]):
        kept -= 1
    if start < 0 or start + kept > rank:
        raise GraphError(f"shape {list(shape)} does not fit at axis {axis} of {rank} axes")
    ones: tuple[D, ...] = (1,)
    return ones * start + shape[:kept] + ones * (rank - start - kept)


def _surely_not_one(dim: Dim) -> bool:
    return isinstance(dim, int) and dim != 1


def _arithmetic(op: OpView) -> Meta:
    return Meta(op["X"].dtype, broadcast_at_axis(op))


def _atan2(op: OpView) -> Meta:
    first, second = op["X1"], op["X2"]
    dtype = first.dtype if first.dtype.is_float else DType.FLOAT64
    if first.shape is None or second.shape is None:
        return Meta(dtype, None)
    return Meta(dtype, broadcast_right(op, first.shape, second.shape))


def _axpy(op: OpView) -> Meta:
    x, scale = op["X"], op["Scale"]
    if x.shape is not None and scale.shape is not None and len(scale.shape) > len(x.shape):
        raise op.error("Scale", f"at most the rank of X, {x}", scale)
    return Meta(x.dtype, x.shape)


def _sum(op: OpView) -> Meta:
    first = op.all("X")[0]
    shape = first.shape
    for other in op.all("X"):
        if other.is_array:
            raise op.error("X", "tensors", "a tensor array")
        if shape is not None and other.shape is not None:
            if len(shape) != len(other.shape):
                raise op.error("X", f"tensors like the first, {first}", other)
            shape = broadcast(op, shape, other.shape)
    return Meta(first.dtype, shape)


for _name in _ARITHMETIC:
    # scale and bias are ours: a `scale` op fused into the product.
    _attrs: dict[str, AttrValue | Attr] = {"axis": -1}
    if _name == "elementwise_mul":
        _attrs |= {"scale": 1.0, "bias": 0.0}
    op(_name, "X Y", "Out", _arithmetic, attrs=_attrs, lod="X", inplace={"Out": "X"})
    _attrs |= {"act_type": "", "activation_params": floats()}
    op(f"fusion_{_name}_activation", "X Y", "Out", _arithmetic, attrs=_attrs, lod="X", inplace={"Out": "X"})

# ONNX Mod with fmod=1: the remainder has the sign of X.
op("fmod", "X:number Y:number", "Out", _arithmetic, attrs={"axis": -1}, lod="X", inplace={"Out": "X"})
op("atan2", "X1:number X2:number", "Out", _atan2, lod="X1")
# Scale · X + Bias with a factor per sample and channel (Paddle-Lite, from Caffe's Axpy).
op("axpy", "Scale X Bias", "Out", _axpy, lod="X")
op("sum", "X*", "Out", _sum, lod="X")
