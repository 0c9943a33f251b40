"""Protobuf wire bytes and parameter streams: a reference that shares no code with the parser."""

import struct


def varint(value: int) -> bytes:
    """Base 128, least significant group first; negative numbers as 64-bit two's complement."""
    value &= 2**64 - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def num(field: int, *values: int) -> bytes:
    """Integers, bools and enums, each with its tag."""
    return b"".join(varint(field << 3) + varint(int(value)) for value in values)


def packed(field: int, *values: int) -> bytes:
    """Integers as one packed field."""
    return msg(field, *map(varint, values))


def f32(field: int, *values: float) -> bytes:
    return b"".join(varint(field << 3 | 5) + struct.pack("<f", value) for value in values)


def f64(field: int, *values: float) -> bytes:
    return b"".join(varint(field << 3 | 1) + struct.pack("<d", value) for value in values)


def msg(field: int, *parts: bytes) -> bytes:
    """A sub-message, or bytes."""
    body = b"".join(parts)
    return varint(field << 3 | 2) + varint(len(body)) + body


def text(field: int, *values: str) -> bytes:
    return b"".join(msg(field, value.encode()) for value in values)


def attr(name: str, kind: int, *value: bytes) -> bytes:
    """OpDesc.attrs"""
    return msg(4, text(1, name), num(2, kind), *value)


def slot(field: int, name: str, *arguments: str) -> bytes:
    """OpDesc.inputs (1) or OpDesc.outputs (2)"""
    return msg(field, text(1, name), text(2, *arguments))


def op(kind: str, *parts: bytes, slots: bytes = b"") -> bytes:
    """BlockDesc.ops"""
    return msg(4, slots, text(3, kind), *parts)


def tensor_desc(code: int, *dims: int) -> bytes:
    return num(1, code) + num(2, *dims)


def var(name: str, *parts: bytes, code: int = 5, dims: tuple[int, ...] = (2,)) -> bytes:
    """BlockDesc.vars: a dense tensor"""
    return msg(3, text(1, name), msg(2, num(1, 7), msg(3, msg(1, tensor_desc(code, *dims)))), *parts)


def weight(name: str, code: int = 5, dims: tuple[int, ...] = (2,)) -> bytes:
    """BlockDesc.vars: a persistable dense tensor"""
    return var(name, num(3, 1), code=code, dims=dims)


def block(index: int, parent: int, *parts: bytes) -> bytes:
    """ProgramDesc.blocks"""
    return msg(1, num(1, index), num(2, parent), *parts)


def stream(
    data: bytes, code: int = 5, dims: tuple[int, ...] = (2,), lod: tuple[tuple[int, ...], ...] = ()
) -> bytes:
    """The parameter stream of one tensor."""
    levels = [struct.pack(f"<Q{len(level)}Q", 8 * len(level), *level) for level in lod]
    desc = tensor_desc(code, *dims)
    head = struct.pack("<IQ", 0, len(lod)) + b"".join(levels)
    return head + struct.pack("<Ii", 0, len(desc)) + desc + data


def floats(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)
