"""Arithmetic in one operator, and the same functions as operators of their own."""

from __future__ import annotations

from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.expression import parse
from lite.model_parser.pnnx.functions import BINARY, UNARY
from lite.model_parser.pnnx.lower_expression import lower
from lite.model_parser.pnnx.registry import pnnx_op
from lite.model_parser.pnnx.value import Value

_UNARY = {f"torch.{name}": name for name in UNARY if not name.startswith(("torch", "int"))}
_BINARY = {f"torch.{name}": name for name in BINARY - {"and", "or", "xor", "max", "min"}}
_LOGIC = {f"torch.{kind}_{name}": name for kind in ("bitwise", "logical") for name in ("and", "or", "xor")}


@pnnx_op("pnnx.Expression")
def expression(call: Call) -> Value:
    """The value of ``expr``; operands are ``@0`` and so on."""
    return lower(parse(call.raw("expr")), call.inputs, call.writer)


@pnnx_op("pnnx.SliceIndexes")
def slice_indexes(call: Call) -> Value:
    """A list of numbers, some of them operands, which are written ``@0`` and so on."""
    items = [parse(str(item)) for item in call.items("indexes")]
    return [lower(item, call.inputs, call.writer) for item in items]


@pnnx_op(*_UNARY)
def unary(call: Call) -> Value:
    """A function of one tensor."""
    return arithmetic.unary(call.writer, _UNARY[call.type], call.x)


@pnnx_op(*_BINARY)
def binary(call: Call) -> Value:
    """A function of two tensors, or of a tensor and the parameter ``other``."""
    second = call.inputs[1] if len(call.inputs) > 1 else call.arg("other", call.arg("exponent"))
    return arithmetic.binary(call.writer, _BINARY[call.type], call.value(0), second)


@pnnx_op(*_LOGIC)
def logic(call: Call) -> Value:
    """Logic of two tensors."""
    return arithmetic.binary(call.writer, _LOGIC[call.type], call.tensor(0), call.tensor(1))
