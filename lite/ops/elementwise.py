"""Arithmetic of two tensors, with Paddle's `axis` and with a fused activation."""

from __future__ import annotations

from lite.errors import GraphError
from lite.ir.program import AttrValue
from lite.ir.types import Dim, Shape
from lite.ops.rules import broadcast
from lite.ops.schema import Attr, floats, op
from lite.ops.view import Meta, OpView

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


def aligned(first: Shape, second: Shape, axis: int) -> tuple[Shape, Shape]:
    """Two shapes padded with ones to equal rank: the one of lower rank starts at `axis` of the other.

    -1 aligns the last axes.  Ones at the end of the lower one that reach beyond the other are dropped;
    raises `GraphError` when more than that reaches beyond.
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


def _placed(shape: Shape, rank: int, axis: int) -> Shape:
    if not shape:
        return (1,) * rank
    start = rank - len(shape) if axis == -1 else axis
    kept = len(shape)
    while start + kept > rank and kept and shape[kept - 1] == 1:
        kept -= 1
    if start < 0 or start + kept > rank:
        raise GraphError(f"shape {list(shape)} does not fit at axis {axis} of {rank} axes")
    ones: tuple[Dim, ...] = (1,)
    return ones * start + shape[:kept] + ones * (rank - start - kept)


def _arithmetic(op: OpView) -> Meta:
    return Meta(op["X"].dtype, broadcast_at_axis(op))


for _name in _ARITHMETIC:
    # scale and bias are ours: a `scale` op fused into the product.
    _attrs: dict[str, AttrValue | Attr] = {"axis": -1}
    if _name == "elementwise_mul":
        _attrs |= {"scale": 1.0, "bias": 0.0}
    op(_name, "X Y", "Out", _arithmetic, attrs=_attrs, lod="X", inplace={"Out": "X"})
    _attrs |= {"act_type": "", "activation_params": floats()}
    op(f"fusion_{_name}_activation", "X Y", "Out", _arithmetic, attrs=_attrs, lod="X", inplace={"Out": "X"})
