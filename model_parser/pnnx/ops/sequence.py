"""Tuples and lists of operands, which exist only while the model is read."""

from __future__ import annotations

from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Results, Value


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
