"""A stored model: StableHLO as text and the types at its ends, compressed, after a checksum.

The machine code is not in it: code that a file brings is never run.
"""

from __future__ import annotations

import json
import struct
import zlib

from lite.dataclass import dataclass
from lite.errors import CompileError
from lite.ir.types import DType

_MAGIC = b"LBXLA001"
_HEADER = struct.Struct("<8sIQ")
"""Magic, checksum of what follows, and the length of the types."""

_FAST = 1
"""The level of compression."""

Ends = tuple[tuple[DType, tuple[int, ...]], ...]
"""Element types and shapes, in order."""


@dataclass(frozen=True)
class Program:
    """A module with the function ``main``, and the types of its arguments and results."""

    text: str
    inputs: Ends
    outputs: Ends


def pack(program: Program) -> bytes:
    """A program as bytes."""
    ends = [
        [[str(dtype), list(shape)] for dtype, shape in each] for each in (program.inputs, program.outputs)
    ]
    types = json.dumps(ends).encode()
    body = types + zlib.compress(program.text.encode(), _FAST)
    return _HEADER.pack(_MAGIC, zlib.crc32(body), len(types)) + body


def unpack(blob: bytes) -> Program:
    """The program in a blob of `pack`; raises `CompileError` for other or damaged bytes."""
    if len(blob) < _HEADER.size or not blob.startswith(_MAGIC):
        raise CompileError(f"xla: expected a stored model, got {len(blob)} other bytes")
    _, checksum, length = _HEADER.unpack_from(blob)
    body = blob[_HEADER.size :]
    if zlib.crc32(body) != checksum:
        raise CompileError("xla: a stored model is damaged: its checksum does not match")
    inputs, outputs = (
        tuple((DType.from_name(name), tuple(shape)) for name, shape in each)
        for each in json.loads(body[:length])
    )
    return Program(zlib.decompress(body[length:]).decode(), inputs, outputs)
