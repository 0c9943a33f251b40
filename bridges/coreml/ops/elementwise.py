"""elementwise_*, sum, comparisons, logic, where → add, mul, pow, equal, logical_and, select, …

float32 and int32; comparisons and where take int64 as well, logic takes bool.
"""

from __future__ import annotations

import functools

from lite.bridges.coreml.bridging import Context, register
from lite.bridges.coreml.ops.activation import activated, plus, times
from lite.emission.attributes import aligned_inputs
from lite.emission.conversion import Declined
from lite.ir.types import DType
from lite.plugin.device import BridgeOp

_ARITHMETIC = {
    "elementwise_add": "add",
    "elementwise_div": "real_div",
    "elementwise_floordiv": "floor_div",
    "elementwise_max": "maximum",
    "elementwise_min": "minimum",
    "elementwise_mod": "mod",
    "elementwise_mul": "mul",
    "elementwise_pow": "pow",
    "elementwise_sub": "sub",
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

_INTEGERS = ("elementwise_add", "elementwise_max", "elementwise_min", "elementwise_mul", "elementwise_sub")


def _arithmetic(op: BridgeOp, ctx: Context) -> None:
    name, b = _FUSED.get(op.op, op.op), ctx.builder
    dtype = op["X"].dtype
    if dtype is not DType.FLOAT32 and (dtype is not DType.INT32 or name not in _INTEGERS):
        raise Declined(f"X is {op['X']}; {_ARITHMETIC[name]} of MIL computes float32 as Paddle does")
    x, y = aligned_inputs(op, ctx)
    result = b.add(_ARITHMETIC[name], x=x, y=y)
    if name == "elementwise_mul":
        result = plus(b, times(b, result, op.real("scale")), op.real("bias"))
    if name != op.op:
        result = activated(b, op.text("activation"), result, op.reals("activation_params"))
    ctx.output(op, result)


_COMPARISONS = {
    "equal": "equal",
    "greater_equal": "greater_equal",
    "greater_than": "greater",
    "less_equal": "less_equal",
    "less_than": "less",
    "not_equal": "not_equal",
}

_LOGIC = ("logical_and", "logical_or", "logical_xor")


def _comparison(op: BridgeOp, ctx: Context) -> None:
    x, y = aligned_inputs(op, ctx)
    if op["X"].dtype is DType.BOOL:
        raise Declined(f"X is {op['X']}; MIL compares numbers")
    ctx.output(op, ctx.builder.add(_COMPARISONS[op.op], x=x, y=y))


def _logic(op: BridgeOp, ctx: Context) -> None:
    x, y = aligned_inputs(op, ctx)
    if op["X"].dtype is not DType.BOOL:
        raise Declined(f"X is {op['X']}; MIL's logic takes bool")
    ctx.output(op, ctx.builder.add(op.op, x=x, y=y))


def _sum(op: BridgeOp, ctx: Context) -> None:
    """sum → add of one tensor after the other."""
    terms, b = ctx.inputs(op, "X"), ctx.builder
    if any(meta.dtype not in (DType.FLOAT32, DType.INT32) for meta in op.all("X")):
        raise Declined("an input is neither float32 nor int32")
    total = functools.reduce(lambda x, y: b.add("add", x=x, y=y), terms)
    ctx.output(op, b.add("identity", x=total) if len(terms) == 1 else total)


def _where(op: BridgeOp, ctx: Context) -> None:
    b, x, y = ctx.builder, ctx.input(op, "X"), ctx.input(op, "Y")
    if op["X"].dtype is not op["Y"].dtype or op["X"].dtype is DType.BOOL:
        raise Declined(f"inputs are of types {op['X'].dtype} and {op['Y'].dtype}; MIL selects equal numbers")
    ctx.output(op, b.add("select", cond=ctx.input(op, "Condition"), a=x, b=y))


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
