"""Elementwise ops of several tensors: arithmetic with Paddle's `axis`, comparisons, logic, bit operations."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.ops.attrs import Attr, floats
from lite.ops.broadcast import broadcast, broadcast_at_axis, broadcast_right
from lite.ops.fused_activation import renamed_activation
from lite.ops.schema import Trait, op
from lite.ops.view import Meta, OpView

_ELEMENTWISE = (Trait.ELEMENTWISE,)
_COMMUTATIVE = (Trait.ELEMENTWISE, Trait.COMMUTATIVE)


def _arithmetic(op: OpView) -> Meta:
    return Meta(op["X"].dtype, broadcast_at_axis(op))


def _compare(op: OpView) -> Meta:
    return Meta(op.dtype("out_dtype", DType.BOOL), broadcast_at_axis(op))


def _logic(op: OpView) -> Meta:
    return Meta(DType.BOOL, broadcast_at_axis(op))


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


def _where(op: OpView) -> Meta:
    x, y, condition = op["X"], op["Y"], op["Condition"]
    both = broadcast_right(op, x.dims, y.dims)
    return Meta(x.dtype, broadcast_right(op, condition.dims, both))


_COMMUTES = {"add", "max", "min", "mul"}

for _name, _about in {
    "add": "X + Y",
    "div": "X / Y",
    "floordiv": "X / Y, rounded down",
    "max": "max(X, Y)",
    "min": "min(X, Y)",
    "mod": "Remainder of X / Y with the sign of Y",
    "mul": "X · Y; `scale` and `bias` are a fused scale op",
    "pow": "X to the power of Y",
    "sub": "X - Y",
}.items():
    _commutes = (Trait.COMMUTATIVE,) if _name in _COMMUTES else ()
    # scale and bias are litebridge's own: a `scale` op fused into the product.
    _attrs: dict[str, AttrValue | Attr] = {"axis": -1}
    if _name == "mul":
        _attrs |= {"scale": 1.0, "bias": 0.0}
    op(
        f"elementwise_{_name}",
        f"{_about}.",
        "X Y",
        "Out",
        _arithmetic,
        attrs=_attrs,
        traits=(Trait.ARITHMETIC, *_commutes),
        lod="X",
        inplace={"Out": "X"},
    )
    op(
        f"fusion_elementwise_{_name}_activation",
        f"{_about}, followed by an activation (Paddle-Lite).",
        "X Y",
        "Out",
        _arithmetic,
        attrs={**_attrs, "activation": "", "activation_params": floats()},
        traits=(Trait.ELEMENTWISE, *_commutes),
        respell=renamed_activation,
        lod="X",
        inplace={"Out": "X"},
    )

for _name, _about in {
    "equal": "X = Y",
    "greater_equal": "X ≥ Y",
    "greater_than": "X > Y",
    "less_equal": "X ≤ Y",
    "less_than": "X < Y",
    "not_equal": "X ≠ Y",
}.items():
    op(
        _name,
        f"Whether {_about}.",
        "X Y",
        "Out",
        _compare,
        # out_dtype is litebridge's own: the result of a comparison whose `cast` was fused.
        attrs={"axis": -1, "out_dtype": DType.BOOL.code},
        traits=_COMMUTATIVE if _name.removeprefix("not_") == "equal" else _ELEMENTWISE,
        lod="X",
    )

for _name, _about in {
    "logical_and": "Whether both are true.",
    "logical_or": "Whether one of both is true.",
    "logical_xor": "Whether exactly one of both is true.",
}.items():
    op(_name, _about, "X Y", "Out", _logic, attrs={"axis": -1}, traits=_COMMUTATIVE, lod="X")

for _name, _about in {
    "bitwise_and": "And of the bits.",
    "bitwise_or": "Or of the bits.",
    "bitwise_xor": "Exclusive or of the bits.",
}.items():
    op(
        _name,
        _about,
        "X:int|bool Y:int|bool",
        "Out",
        _arithmetic,
        attrs={"axis": -1},
        traits=_COMMUTATIVE,
        lod="X",
        inplace={"Out": "X"},
    )

for _direction in ("left", "right"):
    op(
        f"bitwise_{_direction}_shift",
        f"The bits of X shifted {_direction} by Y.",
        "X:int Y:int",
        "Out",
        _arithmetic,
        attrs={"axis": -1, "is_arithmetic": True},
        traits=_ELEMENTWISE,
        lod="X",
        inplace={"Out": "X"},
    )

op(
    "fmod",
    "Remainder with the sign of X, after ONNX Mod with fmod=1.",
    "X:number Y:number",
    "Out",
    _arithmetic,
    attrs={"axis": -1},
    traits=_ELEMENTWISE,
    lod="X",
    inplace={"Out": "X"},
)
op(
    "atan2",
    "Angle of the point (X2, X1), from -π to π.",
    "X1:number X2:number",
    "Out",
    _atan2,
    traits=_ELEMENTWISE,
    lod="X1",
)
op(
    "axpy",
    "Scale · X + Bias with one factor per sample and channel (Paddle-Lite, after Caffe's Axpy).",
    "Scale X Bias",
    "Out",
    _axpy,
    lod="X",
)
op("sum", "Sum of several tensors of one rank.", "X*", "Out", _sum, traits=_ELEMENTWISE, lod="X")
op(
    "where",
    "X where Condition holds, Y elsewhere.",
    "Condition:bool X Y",
    "Out",
    _where,
    traits=_ELEMENTWISE,
)
