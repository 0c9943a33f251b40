"""The ZIP archive of weights: stored entries, read in place.

From the ZIP specification (PKWARE APPNOTE 6.3.9, sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16 and 4.5.3).
Opening an archive reads only its directory; every size is checked against the file before it is used.  The
name and the CRC-32 of an entry are checked when it is read.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from lite.dataclass import dataclass
from lite.errors import ModelParseError
from lite.ir.types import Array
from lite.model_parser.pnnx.files import Buffer
from lite.model_parser.pnnx.param_file import TensorType

_END = struct.Struct("<4s4H2LH")
_LOCATOR = struct.Struct("<4sLQL")
_END64 = struct.Struct("<4sQ2H2L4Q")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")

_ALL_ONES, _ALL_ONES_16 = 0xFFFFFFFF, 0xFFFF
_STORED = 0
_ENCRYPTED = 1


@dataclass(frozen=True)
class _Entry:
    method: int
    flags: int
    packed: int
    size: int
    offset: int
    crc: int


class Archive:
    """The entries of a ``.pnnx.bin``, by name; raises `ModelParseError` where it is damaged."""

    def __init__(self, data: Buffer, source: str) -> None:
        self._data = data
        self._source = source
        self._entries = self._read_directory()

    def array(self, name: str, kind: TensorType) -> Array:
        """The elements of an entry, read-only: a view of the file where it is aligned, else a copy."""
        count = kind.count
        if count is None:
            raise self._error(f"entry {name!r}: the shape {list(kind.shape)} of a weight must be fixed")
        start = self._find(name, count * kind.dtype.itemsize)
        flat = (
            np.frombuffer(self._data, kind.dtype.numpy, count, start)
            if count
            else np.empty(0, kind.dtype.numpy)
        )
        try:
            array: Array = np.require(flat, requirements="A").reshape([int(dim) for dim in kind.shape])
        except ValueError as error:
            raise self._error(f"entry {name!r}: numpy cannot hold its shape: {error}") from error
        array.flags.writeable = False
        return array

    def _find(self, name: str, size: int) -> int:
        """The position of an entry's data; raises `ModelParseError` where it has not `size` bytes."""
        entry = self._entries.get(name)
        if entry is None:
            raise self._error(
                f"has no entry {name!r} ({size} bytes expected); it has {len(self._entries)} others"
            )
        if entry.flags & _ENCRYPTED or entry.method != _STORED:
            raise self._error(
                f"entry {name!r}: compressed or encrypted (method {entry.method}), expected it stored"
            )
        if entry.size != size or entry.packed != size:
            raise self._error(f"entry {name!r}: {entry.size} bytes, expected {size}")
        signature, *_, name_length, extra_length = self._unpack(_LOCAL, entry.offset, f"entry {name!r}")
        start: int = entry.offset + _LOCAL.size + name_length + extra_length
        if signature != b"PK\3\4" or start + size > len(self._data):
            raise self._error(f"entry {name!r}: its data exceed the file; it may be cut short")
        local_start = entry.offset + _LOCAL.size
        local = bytes(self._data[local_start : local_start + name_length]).decode("utf-8", "replace")
        if local != name:
            raise self._error(f"entry {name!r}: at its place is {local!r}; the directory is damaged")
        crc = zlib.crc32(memoryview(self._data)[start : start + size])
        if crc != entry.crc:
            raise self._error(f"entry {name!r}: its CRC is {crc:08x}, expected {entry.crc:08x}")
        return start

    def _read_directory(self) -> dict[str, _Entry]:
        count, size, offset = self._read_end()
        if offset + size > len(self._data) or count * _ENTRY.size > size:
            raise self._error(
                f"the directory of {count} entries at byte {offset} exceeds the file; it may be cut short"
            )
        entries: dict[str, _Entry] = {}
        for _ in range(count):
            where = f"directory at byte {offset}"
            fields = self._unpack(_ENTRY, offset, where)
            if fields[0] != b"PK\1\2":
                raise self._error(f"{where}: expected an entry")
            flags, method = fields[3], fields[4]
            packed, unpacked, name_length, extra_length, comment_length = fields[8:13]
            begin = offset + _ENTRY.size
            offset = begin + name_length + extra_length + comment_length
            if offset > len(self._data):
                raise self._error(f"{where}: the entry exceeds the file; it may be cut short")
            name = bytes(self._data[begin : begin + name_length]).decode("utf-8", "replace")
            extra = bytes(self._data[begin + name_length : begin + name_length + extra_length])
            zip64 = _zip64_numbers(extra)
            sizes = [next(zip64, v) if v == _ALL_ONES else v for v in (unpacked, packed, fields[16])]
            entry = _Entry(method, flags, sizes[1], sizes[0], sizes[2], fields[7])
            # Without optimisation pnnx stores the weights of a module once for each call of it.
            first = entries.setdefault(name, entry)
            if (first.crc, first.size) != (entry.crc, entry.size):
                raise self._error(f"entry {name!r} appears twice, with other content")
        return entries

    def _read_end(self) -> tuple[int, int, int]:
        """The number of entries, the size and the offset of the directory."""
        tail = bytes(self._data[-(_END.size + _ALL_ONES_16) :])
        at = tail.rfind(b"PK\5\6")
        if at < 0:
            raise self._error(
                f"no end of a ZIP archive in {len(self._data)} bytes; it is not an archive or is cut short"
            )
        at += len(self._data) - len(tail)
        *_, count, size, offset, _comment = self._unpack(_END, at, "end of the archive")
        is_zip64 = count == _ALL_ONES_16 or _ALL_ONES in (size, offset)
        if not is_zip64 or at < _LOCATOR.size:
            return count, size, offset
        signature, _, end64, _ = self._unpack(_LOCATOR, at - _LOCATOR.size, "zip64 locator")
        if signature != b"PK\6\7":
            return count, size, offset
        signature, *_, count, size, offset = self._unpack(_END64, end64, "zip64 end")
        if signature != b"PK\6\6":
            raise self._error(f"expected the zip64 end at byte {end64}, where its locator points")
        return count, size, offset

    def _unpack(self, layout: struct.Struct, offset: int, where: str) -> tuple[Any, ...]:
        if offset < 0 or offset + layout.size > len(self._data):
            raise self._error(f"{where}: byte {offset} is outside of the file; it may be cut short")
        return layout.unpack_from(self._data, offset)

    def _error(self, reason: str) -> ModelParseError:
        return ModelParseError(f"{self._source}: {reason}")


def _zip64_numbers(extra: bytes) -> Iterator[int]:
    """The 64-bit numbers of the zip64 field; they replace those of the entry that are all ones."""
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<2H", extra)
        if kind == 1:
            body = extra[4 : 4 + size]
            yield from struct.unpack_from(f"<{min(len(body) // 8, 3)}Q", body)
            return
        extra = extra[4 + size :]
