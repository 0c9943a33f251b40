"""The weights file: a header that the generated code compares, then arrays at aligned offsets."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import field

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array

MAGIC = b"LBWEIGHT"
VERSION = 1
ENDIAN = 0x01020304
HEADER = struct.Struct("<8sIIQQQ16s8x")
"""Magic, version, byte order, bytes of the whole file, two sums, fingerprint of the model: 64 bytes."""


@dataclass
class Weights:
    """Arrays at offsets from the beginning of the file; equal arrays are stored once."""

    alignment: int
    parts: list[Array] = field(default_factory=list)
    size: int = HEADER.size
    _known: dict[tuple[str, bytes], int] = field(default_factory=dict)

    def add(self, array: Array) -> int:
        """The offset of an array."""
        data = np.ascontiguousarray(array)
        key = data.dtype.str, hashlib.sha256(data.tobytes()).digest()
        if key not in self._known:
            self.size += -self.size % self.alignment
            self._known[key] = self.size
            self.parts.append(data)
            self.size += data.nbytes
        return self._known[key]

    def content(self) -> bytes:
        """The whole file."""
        body = bytearray()
        for part in self.parts:
            body += bytes(-(HEADER.size + len(body)) % self.alignment)
            body += part.astype(part.dtype.newbyteorder("<"), copy=False).tobytes()
        body += bytes(-len(body) % 4)
        first, second = sums(bytes(body))
        fingerprint = hashlib.sha256(body).digest()[:16]
        total = HEADER.size + len(body)
        return HEADER.pack(MAGIC, VERSION, ENDIAN, total, first, second, fingerprint) + bytes(body)


def sums(body: bytes) -> tuple[int, int]:
    """The sum of the 32-bit words, and that of the words times their positions from 1 on, modulo 2**64.

    A changed word changes the first sum, exchanged words the second.
    """
    words = np.frombuffer(body, "<u4").astype(np.uint64)
    with np.errstate(over="ignore"):
        positions = np.arange(1, len(words) + 1, dtype=np.uint64)
        return int(words.sum(dtype=np.uint64)), int((words * positions).sum(dtype=np.uint64))
