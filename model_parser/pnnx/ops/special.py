"""Functions with cases: tests for infinities and NaN, and functions that treat some elements apart."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.promotion import common_dtype
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Term, Value, Var

_TESTS = {"isfinite": "isfinite_v2", "isinf": "isinf_v2", "isnan": "isnan_v2"}
_TESTS_BY_TYPE = {f"{prefix}{name}": op for prefix in ("aten::", "torch.") for name, op in _TESTS.items()}


@pnnx_op(*_TESTS_BY_TYPE)
def test(call: Call) -> Value:
    """The op of the table."""
    return call.writer.unary(_TESTS_BY_TYPE[call.type], arithmetic.real(call.writer, call.x))


@pnnx_op("aten::signbit")
def signbit(call: Call) -> Value:
    """Whether the element is below 0; of -0, false."""
    return _compared(call, "less_than", call.x, 0)


@pnnx_op("aten::copysign")
def copysign(call: Call) -> Value:
    """The magnitude of the first operand with the sign of the second."""
    writer = call.writer
    size = arithmetic.unary(writer, "abs", arithmetic.real(writer, call.x))
    is_negative = _compared(call, "less_than", arithmetic.as_term(call.value(1)), 0)
    return choose(call, is_negative, arithmetic.unary(writer, "neg", size), size)


@pnnx_op("aten::nan_to_num", "torch.nan_to_num")
def nan_to_num(call: Call) -> Value:
    """Numbers in place of NaN and the infinities, by default 0 and the extremes of the type."""
    writer, x = call.writer, call.x
    if not writer.dtype(x).is_float:
        return x
    limits = np.finfo(np.float64 if writer.dtype(x) == DType.FLOAT64 else np.float32)
    values = [call.value(n) if n < len(call.inputs) else None for n in (1, 2, 3)]
    nan, above, below = (
        arithmetic.as_term(default if value is None else value)
        for value, default in zip(values, (0.0, float(limits.max), float(limits.min)), strict=True)
    )
    result = choose(call, writer.unary("isnan_v2", x), nan, x)
    result = choose(call, _compared(call, "equal", x, math.inf), above, result)
    return choose(call, _compared(call, "equal", x, -math.inf), below, result)


@pnnx_op("aten::fmax", "aten::fmin")
def extreme_without_nan(call: Call) -> Value:
    """The greater or lesser operand, or the one that is not NaN."""
    writer = call.writer
    function = "maximum" if call.type.endswith("max") else "minimum"
    x, y = arithmetic.as_term(call.value(0)), arithmetic.as_term(call.value(1))
    result = arithmetic.binary(writer, function, x, y)
    for term, other in ((x, y), (y, x)):
        if isinstance(term, Var) and writer.dtype(term).is_float:
            result = choose(call, writer.unary("isnan_v2", term), other, result)
    return result


@pnnx_op("aten::xlogy", "aten::special_xlogy")
def xlogy(call: Call) -> Value:
    """x · log(y), and 0 where x is 0."""
    x, y = arithmetic.as_term(call.value(0)), arithmetic.as_term(call.value(1))
    product = arithmetic.binary(call.writer, "mul", x, arithmetic.unary(call.writer, "log", y))
    return choose(call, _compared(call, "equal", x, 0), 0.0, product)


@pnnx_op("aten::sinc", "aten::special_sinc")
def sinc(call: Call) -> Value:
    """sin(πx) / (πx), and 1 at 0."""
    writer = call.writer
    angle = arithmetic.binary(writer, "mul", arithmetic.real(writer, call.x), math.pi)
    quotient = arithmetic.binary(writer, "div", arithmetic.unary(writer, "sin", angle), angle)
    return choose(call, _compared(call, "equal", angle, 0), 1.0, quotient)


@pnnx_op("aten::logit", "aten::special_logit")
def logit(call: Call) -> Value:
    """log(x / (1 - x)), of x limited to eps from 0 and 1 where there is an eps."""
    writer = call.writer
    x: Term = arithmetic.real(writer, call.x)
    eps = call.value(1) if len(call.inputs) > 1 else None
    if isinstance(eps, int | float):
        x = arithmetic.binary(writer, "maximum", x, float(eps))
        x = arithmetic.binary(writer, "minimum", x, 1.0 - eps)
    odds = arithmetic.binary(writer, "div", x, arithmetic.binary(writer, "sub", 1.0, x))
    return arithmetic.unary(writer, "log", odds)


def choose(call: Call, condition: Var, first: Term, second: Term) -> Var:
    """`where`, with a common type of both values."""
    dtype = common_dtype(call.writer, [first, second])
    x, y = (arithmetic.as_var(call.writer, term, dtype) for term in (first, second))
    return call.writer.emit_one("where", {"Condition": condition, "X": x, "Y": y})


def _compared(call: Call, op: str, x: Term, number: float) -> Var:
    var = arithmetic.as_var(call.writer, x)
    return call.writer.binary(op, var, call.writer.literal(number, call.writer.dtype(var)))
