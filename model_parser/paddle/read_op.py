"""OpDesc → Op, with what an Op has no field for as `extra`."""

from __future__ import annotations

from collections.abc import Sequence

from lite.errors import ModelParseError
from lite.ir.program import Op
from lite.model_parser.paddle.framework_pb2 import OpDesc
from lite.model_parser.paddle.leftover import is_empty
from lite.model_parser.paddle.read_attribute import read_attributes


def read_op(message: OpDesc, unknown: bool) -> Op:
    """One op; `unknown` says that unknown fields must be looked for.

    Raises `ModelParseError` that names the slot or attribute.
    """
    op_type = message.type
    if isinstance(op_type, bytes):
        raise ModelParseError("the op's type is not UTF-8 text")
    op = Op(
        op_type,
        _read_slots(message.inputs, "input"),
        _read_slots(message.outputs, "output"),
        read_attributes(message.attrs, unknown),
    )
    if message.HasField("is_target"):
        op.is_target = message.is_target
    if unknown:
        op.extra = _rest(message)
    return op


def _read_slots(messages: Sequence[OpDesc.Var], side: str) -> dict[str, list[str]]:
    slots: dict[str, list[str]] = {}
    for message in messages:
        slot = message.parameter
        if slot in slots:
            raise ModelParseError(f"the {side} slot {slot!r} is given twice")
        names = message.arguments[:]
        # protobuf hands out text that is not UTF-8 as bytes.
        if isinstance(slot, bytes) or bytes in map(type, names):
            raise ModelParseError(f"the {side} slot {slot!r} holds text that is not UTF-8")
        slots[slot] = names
    return slots


def _rest(message: OpDesc) -> bytes:
    """What is left of the message: unknown fields of the op and its slots, attributes of unknown type.

    A slot's are kept as another slot of the same name, without arguments.
    """
    rest = OpDesc()
    rest.CopyFrom(message)
    for field in ("type", "is_target", "inputs", "outputs", "attrs"):
        rest.ClearField(field)
    for slots, kept in ((message.inputs, rest.inputs), (message.outputs, rest.outputs)):
        for slot in slots:
            left = OpDesc.Var()
            left.CopyFrom(slot)
            left.ClearField("arguments")
            left.ClearField("parameter")
            if not is_empty(left):
                left.parameter = slot.parameter
                kept.append(left)
    rest.attrs.extend(attr for attr in message.attrs if not attr.HasField("type"))
    return rest.SerializePartialToString()
