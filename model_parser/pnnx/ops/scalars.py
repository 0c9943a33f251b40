"""Numbers and their arithmetic as operators, which pnnx leaves at optlevel 0."""

from __future__ import annotations

from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var


@pnnx_op("prim::Constant")
def constant(call: Call) -> Value:
    """The number, word or list of the parameter ``value``."""
    return call.arg("value")


@pnnx_op("Tensor.size", "aten::size")
def size(call: Call) -> Value:
    """A size, or the list of all sizes."""
    writer = call.writer
    axis = call.inputs[1] if len(call.inputs) > 1 else call.arg("dim")
    if axis is None:
        return [writer.size(call.x, n) for n in range(writer.rank(call.x))]
    if not isinstance(axis, int):
        raise call.error(f"expected a dimension that is an integer, got {axis!r}")
    return writer.size(call.x, axis)


@pnnx_op("prim::NumToTensor", "aten::ScalarImplicit", "aten::detach", "aten::Float")
def same(call: Call) -> Value:
    """The input."""
    return call.value(0)


@pnnx_op("aten::Int", "aten::IntImplicit")
def whole(call: Call) -> Value:
    """The number without its fraction, as a size."""
    value = call.value(0)
    if isinstance(value, Var) and not call.writer.dtype(value).is_float:
        return Var(value.name, is_number=True)
    return arithmetic.whole(call.writer, arithmetic.unary(call.writer, "trunc", value))


_ARITHMETIC = {
    f"aten::{name}": name
    for name in ("div", "floor_divide", "fmod", "maximum", "minimum", "mul", "pow", "remainder")
}
_ARITHMETIC |= {"aten::__and__": "and", "aten::__or__": "or", "aten::__xor__": "xor"}


@pnnx_op(*_ARITHMETIC)
def binary(call: Call) -> Value:
    """A function of two operands; a division may round down or towards zero."""
    writer = call.writer
    result = arithmetic.binary(writer, _ARITHMETIC[call.type], call.value(0), call.value(1))
    rounding = call.value(2) if len(call.inputs) > 2 else None
    if rounding is None:
        return result
    if rounding not in ("floor", "trunc"):
        raise call.error(f"expected a rounding by floor or trunc, got {rounding!r}")
    return arithmetic.unary(writer, str(rounding), result)


@pnnx_op("aten::add", "aten::sub")
def plus(call: Call) -> Value:
    """The sum or difference with alpha times the second operand."""
    alpha = call.value(2) if len(call.inputs) > 2 else 1
    second = call.value(1)
    if alpha != 1:
        second = arithmetic.binary(call.writer, "mul", second, alpha)
    return arithmetic.binary(call.writer, call.type.removeprefix("aten::"), call.value(0), second)
