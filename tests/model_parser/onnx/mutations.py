"""Random damage to models: changed bytes, and changed fields of protobuf messages."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, TypeVar

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

NUMBERS = (-1, 0, 1, 2, 3, 7, 11, 16, 99, -(2**31), 2**31 - 1, 2**40, -(2**63), 2**63 - 1)
REALS = (0.0, -1.0, 1e-30, 3e38, float("inf"), float("nan"))
STRINGS = ("", "x", "unused", "\N{SNOWMAN}", "a" * 300, "NOTSET", "../w")
_INTEGER_BITS = {
    FieldDescriptor.CPPTYPE_INT32: 32,
    FieldDescriptor.CPPTYPE_INT64: 64,
    FieldDescriptor.CPPTYPE_UINT64: 64,
    FieldDescriptor.CPPTYPE_ENUM: 0,
}


def damaged_bytes(source: random.Random, data: bytes) -> bytes:
    """`data` with some bytes replaced, removed or inserted, and sometimes truncated."""
    out = bytearray(data)
    for _ in range(source.randint(1, 3)):
        position = source.randrange(len(out))
        value = source.choice((0, 1, 8, 0x7F, 0x80, 0xFF, source.randrange(256)))
        kind = source.randrange(3)
        if kind == 0:
            out[position] = value
        elif kind == 1:
            del out[position]
        else:
            out.insert(position, value)
    return bytes(out[: source.randrange(len(out))]) if source.random() < 0.1 else bytes(out)


M = TypeVar("M", bound=Message)


def damaged_fields(source: random.Random, model: M) -> M:
    """A copy of a message with some fields removed, doubled, or set to other values."""
    copy = type(model)()
    copy.CopyFrom(model)
    names = sorted({text for text in _strings(copy) if text})
    for _ in range(source.randint(1, 3)):
        message = source.choice(list(_messages(copy)))
        fields = message.ListFields()
        if fields:
            field, value = source.choice(fields)
            _damage(source, message, field, value, names)
    return copy


def _damage(source: random.Random, message: Message, field: Any, value: Any, names: list[str]) -> None:
    action = source.randrange(6)
    if action == 0:
        message.ClearField(field.name)
    elif not _is_repeated(value):
        if field.cpp_type != FieldDescriptor.CPPTYPE_MESSAGE:
            setattr(message, field.name, _other(source, field, names))
    elif action == 1:
        del value[source.randrange(len(value))]
    elif action == 2 or field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
        element = value[source.randrange(len(value))]
        if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
            value.add().CopyFrom(element)
        else:
            value.append(element)
    else:
        value[source.randrange(len(value))] = _other(source, field, names)


def _other(source: random.Random, field: Any, names: list[str]) -> Any:
    if field.cpp_type in _INTEGER_BITS:
        bits = _INTEGER_BITS[field.cpp_type]
        if not bits:
            return source.choice([value.number for value in field.enum_type.values])
        low = 0 if field.cpp_type == FieldDescriptor.CPPTYPE_UINT64 else -(2 ** (bits - 1))
        return source.choice([n for n in NUMBERS if low <= n < 2 ** (bits - 1)])
    if field.cpp_type in (FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE):
        return source.choice(REALS)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return bytes(source.randrange(256) for _ in range(source.choice((0, 1, 4, 8, 60))))
    return source.choice(names) if source.random() < 0.7 else source.choice(STRINGS)


def _messages(message: Message) -> Iterator[Message]:
    yield message
    for field, value in message.ListFields():
        if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
            for inner in value if _is_repeated(value) else [value]:
                yield from _messages(inner)


def _strings(message: Message) -> Iterator[str]:
    for inner in _messages(message):
        for field, value in inner.ListFields():
            if field.type == FieldDescriptor.TYPE_STRING:
                yield from value if _is_repeated(value) else [value]


def _is_repeated(value: Any) -> bool:
    return not isinstance(value, (bool, int, float, str, bytes, Message))
