"""elementwise_*, sum, comparisons, logic, where → ADD, MUL, POW, EQUAL, LOGICAL_AND, SELECT_V2, …"""

from __future__ import annotations

import functools
from collections.abc import Callable

from lite.bridges.tflite.ops.activation import activated
from lite.emission.attributes import aligned_inputs
from lite.emission.conversion import Declined
from lite.emission.tflite.bridging import Context, register
from lite.emission.tflite.builder import Builder, Tensor
from lite.ir.types import DType
from lite.plugin.device import BridgeOp

Function = Callable[[Builder, Tensor, Tensor], Tensor]


def _operator(code: str, dtype: DType | None = None) -> Function:
    return lambda b, x, y: b.binary(code, x, y, dtype)


def _floor_division(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return b.unary("FLOOR", b.binary("DIV", x, y)) if x.dtype.is_float else b.binary("FLOOR_DIV", x, y)


_ARITHMETIC: dict[str, Function] = {
    "elementwise_add": _operator("ADD"),
    "elementwise_div": _operator("DIV"),
    "elementwise_floordiv": _floor_division,
    "elementwise_max": _operator("MAXIMUM"),
    "elementwise_min": _operator("MINIMUM"),
    "elementwise_mod": _operator("FLOOR_MOD"),
    "elementwise_mul": _operator("MUL"),
    "elementwise_pow": _operator("POW"),
    "elementwise_sub": _operator("SUB"),
}

_FUSED = {
    "fusion_elementwise_add_activation": "elementwise_add",
    "fusion_elementwise_div_activation": "elementwise_div",
    "fusion_elementwise_floordiv_activation": "elementwise_floordiv",
    "fusion_elementwise_max_activation": "elementwise_max",
    "fusion_elementwise_min_activation": "elementwise_min",
    "fusion_elementwise_mod_activation": "elementwise_mod",
    "fusion_elementwise_mul_activation": "elementwise_mul",
    "fusion_elementwise_pow_activation": "elementwise_pow",
    "fusion_elementwise_sub_activation": "elementwise_sub",
}
"""The op of which each fused op is the form with an activation."""

_DIVIDES = ("elementwise_div", "elementwise_floordiv", "elementwise_mod", "elementwise_pow")


def _arithmetic(op: BridgeOp, ctx: Context) -> None:
    name, b = _FUSED.get(op.op, op.op), ctx.builder
    x, y = aligned_inputs(op, ctx)
    if name in _DIVIDES and not x.dtype.is_float:
        raise Declined(f"X is {op['X']}; TFLite's quotients of integers are not Paddle's")
    result = _ARITHMETIC[name](b, x, y)
    if name == "elementwise_mul":
        for code, attr, neutral in (("MUL", "scale", 1), ("ADD", "bias", 0)):
            if op.real(attr) != neutral:
                result = b.binary(code, result, b.like(op.real(attr), result))
    if name != op.op:
        result = activated(b, op.text("activation"), result, op.reals("activation_params"))
    ctx.output(op, result)


def _xor(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    either, both = b.binary("LOGICAL_OR", x, y), b.binary("LOGICAL_AND", x, y)
    return b.binary("LOGICAL_AND", either, b.unary("LOGICAL_NOT", both))


_COMPARISONS: dict[str, Function] = {
    "equal": _operator("EQUAL", DType.BOOL),
    "greater_equal": _operator("GREATER_EQUAL", DType.BOOL),
    "greater_than": _operator("GREATER", DType.BOOL),
    "less_equal": _operator("LESS_EQUAL", DType.BOOL),
    "less_than": _operator("LESS", DType.BOOL),
    "logical_and": _operator("LOGICAL_AND"),
    "logical_or": _operator("LOGICAL_OR"),
    "logical_xor": _xor,
    "not_equal": _operator("NOT_EQUAL", DType.BOOL),
}


def _comparison(op: BridgeOp, ctx: Context) -> None:
    x, y = aligned_inputs(op, ctx)
    if op.op.startswith("logical") and x.dtype is not DType.BOOL:
        raise Declined(f"X is {op['X']}; TFLite's logic takes bool")
    ctx.output(op, _COMPARISONS[op.op](ctx.builder, x, y))


def _sum(op: BridgeOp, ctx: Context) -> None:
    """sum → ADD of one tensor after the other."""
    terms = ctx.inputs(op, "X")
    if any(term.dtype is not terms[0].dtype for term in terms):
        raise Declined("inputs are of several types; TFLite takes inputs of one type")
    ctx.output(op, functools.reduce(lambda x, y: ctx.builder.binary("ADD", x, y), terms))


def _where(op: BridgeOp, ctx: Context) -> None:
    x, y = ctx.input(op, "X"), ctx.input(op, "Y")
    if x.dtype is not y.dtype:
        raise Declined(f"inputs are of types {x.dtype} and {y.dtype}; TFLite takes inputs of one type")
    ctx.output(op, ctx.builder.elementwise("SELECT_V2", [ctx.input(op, "Condition"), x, y], x.dtype))


register(
    __name__,
    {
        **dict.fromkeys((*_ARITHMETIC, *_FUSED), _arithmetic),
        **dict.fromkeys(_COMPARISONS, _comparison),
        "sum": _sum,
        "where": _where,
    },
)
