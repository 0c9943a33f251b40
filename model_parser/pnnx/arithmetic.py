"""Elementwise functions of torch, on tensors and numbers, with torch's type promotion.

A function of literals alone is computed when the model is read.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from lite.errors import ModelParseError
from lite.ir.types import DType
from lite.model_parser.pnnx.promotion import common_dtype
from lite.model_parser.pnnx.value import Literal, Term, Value, Var
from lite.model_parser.pnnx.writer import Writer

_REAL = {
    "acos": "acos",
    "acosh": "acosh",
    "asin": "asin",
    "asinh": "asinh",
    "atan": "atan",
    "atanh": "atanh",
    "cos": "cos",
    "cosh": "cosh",
    "erf": "erf",
    "exp": "exp",
    "expm1": "expm1",
    "log": "log",
    "log10": "log10",
    "log1p": "log1p",
    "log2": "log2",
    "reciprocal": "reciprocal",
    "rsqrt": "rsqrt",
    "sin": "sin",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "tan": "tan",
    "tanh": "tanh",
}
"""Functions whose result is real for operands of any type."""

_SAME_TYPE = {"abs": "abs", "neg": "negative", "sign": "sign", "square": "square"}
_ROUNDING = {"ceil": "ceil", "floor": "floor", "round": "rint", "trunc": "trunc"}
"""torch rounds halves to even, as `rint` does."""

_CASTS = {
    "int": DType.INT32,
    "torch.bool": DType.BOOL,
    "torch.float": DType.FLOAT32,
    "torch.long": DType.INT64,
}

_PAIRS = {
    "add": "elementwise_add",
    "sub": "elementwise_sub",
    "mul": "elementwise_mul",
    "floor_divide": "elementwise_floordiv",
    "remainder": "elementwise_mod",
    "pow": "elementwise_pow",
    "max": "elementwise_max",
    "maximum": "elementwise_max",
    "min": "elementwise_min",
    "minimum": "elementwise_min",
}
_LOGIC = {"and": "logical_and", "or": "logical_or", "xor": "logical_xor"}
_BITWISE = {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}

_FOLDED_UNARY: dict[str, Callable[..., Literal]] = {
    "abs": abs,
    "ceil": math.ceil,
    "floor": math.floor,
    "int": int,
    "neg": lambda x: -x,
    "round": round,
    "sqrt": math.sqrt,
    "square": lambda x: x * x,
    "torch.float": float,
    "torch.long": int,
    "trunc": math.trunc,
}

_FOLDED_BINARY: dict[str, Callable[..., Literal]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "floor_divide": lambda x, y: x // y,
    "remainder": lambda x, y: x % y,
    "max": max,
    "maximum": max,
    "min": min,
    "minimum": min,
}


def as_term(value: Value) -> Term:
    """An operand of arithmetic; raises `ModelParseError` for lists, strings and None."""
    if isinstance(value, Var | bool | int | float):
        return value
    raise ModelParseError(f"expected a tensor or a number, got {value!r}")


def unary(writer: Writer, function: str, operand: Value) -> Term:
    """Write a function of one operand and return its result."""
    x = as_term(operand)
    if not isinstance(x, Var):
        literal = _fold(_FOLDED_UNARY.get(function), x)
        if literal is not None:
            return literal
    var = as_var(writer, x)
    return Var(_unary(writer, function, var).name, var.is_number)


def binary(writer: Writer, function: str, first: Value, second: Value) -> Term:
    """Write a function of two operands, which broadcast, and return its result."""
    x, y = as_term(first), as_term(second)
    if not isinstance(x, Var) and not isinstance(y, Var):
        literal = _fold(_FOLDED_BINARY.get(function), x, y)
        if literal is not None:
            return literal
    dtype = common_dtype(writer, [x, y])
    is_number = all(not isinstance(term, Var) or term.is_number for term in (x, y))
    return Var(_binary(writer, function, x, y, dtype).name, is_number)


def as_var(writer: Writer, x: Term, dtype: DType | None = None) -> Var:
    """The operand as a tensor of `dtype`, by default of its own type, which for a literal is torch's."""
    if isinstance(x, Var):
        return x if dtype is None else writer.cast(x, dtype)
    return writer.literal(x, dtype or common_dtype(writer, [x]))


def whole(writer: Writer, x: Term) -> Term:
    """`x` rounded down to an integer, as a number of Python."""
    floor = unary(writer, "floor", x)
    return Var(writer.cast(floor, DType.INT64).name, is_number=True) if isinstance(floor, Var) else int(floor)


def real(writer: Writer, x: Var) -> Var:
    """`x`, cast to float32 where it is not real."""
    return x if writer.dtype(x).is_float else writer.cast(x, DType.FLOAT32)


def _fold(function: Callable[..., Literal] | None, *operands: Literal) -> Literal | None:
    """The result, or None where Python fails or exceeds 64 bits and an op must compute it as torch."""
    if function is None:
        return None
    try:
        result = function(*operands)
    except (ArithmeticError, ValueError):
        return None
    if isinstance(result, int) and abs(result) >= 2**63:
        return None
    return result


def _unary(writer: Writer, function: str, x: Var) -> Var:
    if function in _REAL:
        return writer.unary(_REAL[function], real(writer, x))
    if function in _CASTS:
        return writer.cast(x, _CASTS[function])
    if function in _ROUNDING:
        return writer.unary(_ROUNDING[function], x)
    return writer.unary(_SAME_TYPE[function], x)


def _binary(writer: Writer, function: str, x: Term, y: Term, dtype: DType) -> Var:
    if function == "div":
        dtype = dtype if dtype.is_float else DType.FLOAT32
        return writer.binary("elementwise_div", as_var(writer, x, dtype), as_var(writer, y, dtype))
    if function in _LOGIC:
        table = _LOGIC if dtype == DType.BOOL else _BITWISE
        return writer.binary(table[function], as_var(writer, x, dtype), as_var(writer, y, dtype))
    if function in ("add", "sub", "mul") and dtype in (DType.FLOAT32, DType.FLOAT16):
        scaled = _scaled(writer, function, x, y, dtype)
        if scaled is not None:
            return scaled
    if function == "pow" and isinstance(x, Var) and not isinstance(y, Var) and dtype.is_float:
        return writer.unary("pow", writer.cast(x, dtype), {"factor": float(y)})
    if function in _COMPOSED:
        return _COMPOSED[function](writer, x, y, dtype)
    return writer.binary(_PAIRS[function], as_var(writer, x, dtype), as_var(writer, y, dtype))


def _scaled(writer: Writer, function: str, x: Term, y: Term, dtype: DType) -> Var | None:
    """A sum or product with a finite literal as one `scale` op; None for other operands."""
    if isinstance(x, Var) == isinstance(y, Var):
        return None
    var, number = (x, y) if isinstance(x, Var) else (y, x)
    if not isinstance(var, Var) or isinstance(number, Var) or not math.isfinite(number):
        return None
    if function == "mul":
        return writer.unary("scale", writer.cast(var, dtype), {"scale": float(number)})
    if function == "add":
        return writer.unary("scale", writer.cast(var, dtype), {"bias": float(number)})
    attrs = {"bias": -float(number)} if var is x else {"scale": -1.0, "bias": float(number)}
    return writer.unary("scale", writer.cast(var, dtype), attrs)


def _fmod(writer: Writer, x: Term, y: Term, dtype: DType) -> Var:
    """The remainder of the absolute values with the sign of the dividend, which is exact."""
    dividend, divisor = as_var(writer, x, dtype), as_var(writer, y, dtype)
    remainder = writer.binary("elementwise_mod", writer.unary("abs", dividend), writer.unary("abs", divisor))
    return writer.binary("elementwise_mul", remainder, writer.unary("sign", dividend))


def _atan2(writer: Writer, x: Term, y: Term, dtype: DType) -> Var:
    dtype = dtype if dtype.is_float else DType.FLOAT32
    return writer.emit_one("atan2", {"X1": as_var(writer, x, dtype), "X2": as_var(writer, y, dtype)})


def _logaddexp(writer: Writer, x: Term, y: Term, dtype: DType) -> Var:
    """``max(x, y) + log1p(exp(-|x - y|))``, which does not overflow."""
    first, second = as_var(writer, x, dtype), as_var(writer, y, dtype)
    distance = writer.unary("abs", writer.binary("elementwise_sub", first, second))
    correction = writer.unary("log1p", writer.unary("exp", writer.unary("negative", distance)))
    return writer.binary("elementwise_add", writer.binary("elementwise_max", first, second), correction)


def _shift(op: str) -> Callable[[Writer, Term, Term, DType], Var]:
    def shift(writer: Writer, x: Term, y: Term, dtype: DType) -> Var:
        two = writer.literal(2, dtype)
        power = writer.binary("elementwise_pow", two, as_var(writer, y, dtype))
        return writer.binary(op, as_var(writer, x, dtype), power)

    return shift


_COMPOSED: dict[str, Callable[[Writer, Term, Term, DType], Var]] = {
    "atan2": _atan2,
    "fmod": _fmod,
    "logaddexp": _logaddexp,
    "lshift": _shift("elementwise_mul"),
    "rshift": _shift("elementwise_floordiv"),
}

UNARY = frozenset({*_REAL, *_SAME_TYPE, *_ROUNDING, *_CASTS})
"""The functions that `unary` accepts."""

BINARY = frozenset({*_PAIRS, *_LOGIC, *_COMPOSED, "div"})
"""The functions that `binary` accepts."""
