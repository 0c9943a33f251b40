"""elementwise_*, sum, comparisons, logic, where → add, multiply, power, compare, and, select, …

Quotients, remainders and powers are of real numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from lite.bridges.stablehlo.ops.activation import activated, plus, times
from lite.emission.attributes import aligned_inputs
from lite.emission.conversion import Declined
from lite.emission.stablehlo.bridging import Context, register
from lite.emission.stablehlo.builder import Builder
from lite.emission.stablehlo.graph import Tensor
from lite.ir.types import DType
from lite.plugin.device import BridgeOp

Function = Callable[[Builder, Tensor, Tensor], Tensor]


def _plain(name: str) -> Function:
    return lambda b, x, y: b.binary(name, x, y)


def _remainder(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    """The remainder with the sign of the divisor; StableHLO's has that of the dividend."""
    rest = b.binary("remainder", x, y)
    zero = b.like(0, x)
    signs = b.compare("NE", b.compare("LT", rest, zero), b.compare("LT", y, zero))
    wrong = b.binary("and", b.compare("NE", rest, zero), signs)
    return b.select(wrong, b.binary("add", rest, y), rest)


_ARITHMETIC: dict[str, Function] = {
    "elementwise_add": _plain("add"),
    "elementwise_div": _plain("divide"),
    "elementwise_floordiv": lambda b, x, y: b.unary("floor", b.binary("divide", x, y)),
    "elementwise_max": _plain("maximum"),
    "elementwise_min": _plain("minimum"),
    "elementwise_mod": _remainder,
    "elementwise_mul": _plain("multiply"),
    "elementwise_pow": _plain("power"),
    "elementwise_sub": _plain("subtract"),
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
    if x.dtype is DType.BOOL or (name in _DIVIDES and not x.dtype.is_float):
        raise Declined(f"X is {op['X']}; quotients are of real numbers, and bool has no arithmetic")
    result = _ARITHMETIC[name](b, x, y)
    if name == "elementwise_mul":
        result = plus(b, times(b, result, op.real("scale")), op.real("bias"))
    if name != op.op:
        result = activated(b, op.text("activation"), result, op.reals("activation_params"))
    ctx.output(op, result)


_COMPARISONS = {
    "equal": "EQ",
    "greater_equal": "GE",
    "greater_than": "GT",
    "less_equal": "LE",
    "less_than": "LT",
    "not_equal": "NE",
}

_LOGIC = {"logical_and": "and", "logical_or": "or", "logical_xor": "xor"}


def _comparison(op: BridgeOp, ctx: Context) -> None:
    x, y = aligned_inputs(op, ctx)
    ctx.output(op, ctx.builder.compare(_COMPARISONS[op.op], x, y))


def _logic(op: BridgeOp, ctx: Context) -> None:
    x, y = (ctx.builder.cast(each, DType.BOOL) for each in aligned_inputs(op, ctx))
    ctx.output(op, ctx.builder.binary(_LOGIC[op.op], x, y))


def _sum(op: BridgeOp, ctx: Context) -> None:
    """sum → add of one tensor after the other."""
    terms = ctx.inputs(op, "X")
    if any(term.dtype is not terms[0].dtype for term in terms):
        raise Declined("inputs are of several types, and have to be of one")
    ctx.output(op, functools.reduce(lambda x, y: ctx.builder.binary("add", x, y), terms))


def _where(op: BridgeOp, ctx: Context) -> None:
    x, y = ctx.input(op, "X"), ctx.input(op, "Y")
    if x.dtype is not y.dtype:
        raise Declined(f"inputs are of types {x.dtype} and {y.dtype}, and have to be of one")
    ctx.output(op, ctx.builder.select(ctx.input(op, "Condition"), x, y))


register(
    __name__,
    {
        **dict.fromkeys((*_ARITHMETIC, *_FUSED), _arithmetic),
        **dict.fromkeys(_COMPARISONS, _comparison),
        **dict.fromkeys(_LOGIC, _logic),
        "sum": _sum,
        "where": _where,
    },
)
