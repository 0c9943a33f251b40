"""Fields of a message that the IR has no place for; `extra` keeps them, so saving a model loses nothing."""

from __future__ import annotations

from typing import TypeVar

from google.protobuf.message import Message

from lite.model_parser.paddle.framework_pb2 import ProgramDesc

M = TypeVar("M", bound=Message)


def without(message: M, *fields: str) -> M:
    """A copy of the message without these fields."""
    copy = type(message)()
    copy.CopyFrom(message)
    for field in fields:
        copy.ClearField(field)
    return copy


def is_empty(message: Message) -> bool:
    """Whether the message has no field, known or unknown; required ones may be missing."""
    return not message.SerializePartialToString()


def has_unknown_fields(message: ProgramDesc) -> bool:
    """Whether the program has an unknown field, or a type number that is unknown, at any level."""
    if not message.IsInitialized():
        return True  # `check_required` accepts no other missing field than an unknown type number
    known = without(message)
    known.DiscardUnknownFields()
    return known.ByteSize() != message.ByteSize()
