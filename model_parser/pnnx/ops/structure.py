"""Weights as operands, and tuples and lists of operands."""

from __future__ import annotations

from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.registry import pnnx_op
from lite.model_parser.pnnx.value import Results, Value


@pnnx_op("pnnx.Attribute")
def attribute(call: Call) -> Value:
    """A parameter of the program."""
    if len(call.operator.weights) != 1:
        raise call.error(f"expected one weight, got {list(call.operator.weights) or 'none'}")
    return call.weight(next(iter(call.operator.weights)))


@pnnx_op("prim::TupleConstruct", "prim::ListConstruct")
def construct(call: Call) -> Value:
    """A list of the operands."""
    return list(call.inputs)


@pnnx_op("prim::TupleUnpack", "prim::ListUnpack")
def unpack(call: Call) -> Results:
    """The members of a list."""
    members = call.value(0)
    if not isinstance(members, list):
        raise call.error(f"expected a tuple or list, got {members!r}")
    return Results(members)
