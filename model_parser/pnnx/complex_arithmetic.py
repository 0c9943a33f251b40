"""Arithmetic of complex numbers, which are pairs of real ones on a last axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lite.errors import ModelParseError
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.value import Complex, Results, Term, Value, Var
from lite.model_parser.pnnx.writer import Writer

_MOVES = frozenset(
    f"{kind}.{name}"
    for kind, names in (
        ("Tensor", "clone contiguous expand permute repeat reshape select slice view"),
        ("torch", "clone flatten flip index_select mean roll squeeze sum transpose unsqueeze"),
    )
    for name in names.split()
)
"""Operators that treat the real and the imaginary part alike."""


def moves_complex(call: Call) -> bool:
    """Whether the operator treats both parts of its first input, complex numbers, alike."""
    return call.type in _MOVES and isinstance(call.value(0), Complex)


def by_parts(call: Call, translate: Callable[[Call], Value | Results]) -> Value:
    """The result of an operator that has one, from those of both parts."""
    number = call.value(0)
    if not isinstance(number, Complex):
        raise call.error("expected complex numbers")
    results = [translate(call.with_input(0, part)) for part in parts(call.writer, number)]
    real, imaginary = (result for result in results if isinstance(result, Var))
    return joined(call.writer, real, imaginary)


def parts(writer: Writer, value: Value) -> tuple[Term, Term]:
    """The real and the imaginary part; of real numbers, the numbers and 0."""
    if not isinstance(value, Complex):
        return arithmetic.as_term(value), 0
    return _part(writer, value, 0), _part(writer, value, 1)


def _part(writer: Writer, value: Complex, number: int) -> Var:
    axis = writer.rank(value.pairs) - 1
    span = {"axes": [axis], "starts": [number], "ends": [number + 1], "decrease_axis": [axis]}
    return writer.emit_one("slice", {"Input": value.pairs}, {**span})


def joined(writer: Writer, real: Value, imaginary: Value) -> Complex:
    """Complex numbers of two parts, of which one may be a number."""
    pair = [arithmetic.as_term(part) for part in (real, imaginary)]
    var = next(part for part in pair if isinstance(part, Var))
    filled = [
        part
        if isinstance(part, Var)
        else writer.unary("fill_any_like", var, {"value": float(part), "dtype": -1})
        for part in pair
    ]
    return Complex(writer.emit_one("stack", {"X": filled}, {"axis": -1}))


def apply(writer: Writer, function: str, values: Sequence[Value]) -> Value:
    """A function of an expression, with an operand that is complex.

    Raises `ModelParseError` for functions other than abs, neg, add, sub, mul, and div by a real number.
    """
    if len(values) == 1 and function == "abs":
        return absolute(writer, values[0])
    if len(values) == 1 and function == "neg":
        return joined(writer, *(arithmetic.unary(writer, "neg", part) for part in parts(writer, values[0])))
    if len(values) == 2 and function in ("add", "sub"):
        pairs = zip(*(parts(writer, value) for value in values), strict=True)
        return joined(writer, *(arithmetic.binary(writer, function, *pair) for pair in pairs))
    if len(values) == 2 and function == "mul":
        return _product(writer, values[0], values[1])
    if len(values) == 2 and function == "div" and not isinstance(values[1], Complex):
        halves = parts(writer, values[0])
        return joined(writer, *(arithmetic.binary(writer, "div", part, values[1]) for part in halves))
    raise ModelParseError(f"expression: {function} of complex numbers is not supported")


def _product(writer: Writer, first: Value, second: Value) -> Complex:
    if not isinstance(second, Complex):
        return joined(
            writer, *(arithmetic.binary(writer, "mul", part, second) for part in parts(writer, first))
        )
    if not isinstance(first, Complex):
        return _product(writer, second, first)
    (a, b), (c, d) = parts(writer, first), parts(writer, second)

    def product(x: Term, y: Term) -> Term:
        return arithmetic.binary(writer, "mul", x, y)

    real = arithmetic.binary(writer, "sub", product(a, c), product(b, d))
    return joined(writer, real, arithmetic.binary(writer, "add", product(a, d), product(b, c)))


def absolute(writer: Writer, value: Value) -> Var:
    """The square root of the sum of squares."""
    if not isinstance(value, Complex):
        return arithmetic.as_var(writer, arithmetic.unary(writer, "abs", value))
    squares = writer.unary("square", value.pairs)
    axis = writer.rank(value.pairs) - 1
    return writer.unary("sqrt", writer.unary("reduce_sum", squares, {"dim": [axis]}))
