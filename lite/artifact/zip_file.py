"""Writes a zip of stored members at chosen alignments, as chunks.

PKWARE's "APPNOTE.TXT - .ZIP File Format Specification", sections 4.3 and 4.5.  The same members give the same
bytes: times are the first that the format can express.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence

from lite.dataclass import dataclass

Chunk = bytes | memoryview

PADDING_ID = 0xD935
"""The extra field that aligns data; Android's zipalign uses the same number."""

_LOCAL = struct.Struct("<IHHHHHIIIHH")
_CENTRAL = struct.Struct("<IHHHHHHIIIHHHHHII")
_END = struct.Struct("<IHHHHIIH")
_END64 = struct.Struct("<IQHHIIQQQQ")
_LOCATOR64 = struct.Struct("<IIQI")
_ZIP64_SIZES = struct.Struct("<HHQQ")
_ZIP64_ALL = struct.Struct("<HHQQQ")
_PADDING = struct.Struct("<HH")

_VERSION, _VERSION64 = 20, 45
_DATE = 1 << 5 | 1
"""1980-01-01."""

_MOST = 0xFFFFFFFF
_REGULAR_FILE = 0o100644 << 16


@dataclass(frozen=True)
class Member:
    """A member to write; its data starts at a multiple of `alignment` bytes."""

    name: str
    chunks: Sequence[Chunk]
    alignment: int = 64

    @property
    def size(self) -> int:
        """Bytes of the data."""
        return sum(memoryview(chunk).nbytes for chunk in self.chunks)


def zip_chunks(members: Sequence[Member]) -> Iterator[Chunk]:
    """The bytes of a zip with these members, in their order."""
    offset = 0
    directory: list[bytes] = []
    for member in members:
        checksum = 0
        for chunk in member.chunks:
            checksum = zlib.crc32(chunk, checksum)
        name = member.name.encode("ascii")
        header = _local_header(name, member.size, checksum, offset, member.alignment)
        directory.append(_central_header(name, member.size, checksum, offset))
        yield header
        yield from member.chunks
        offset += len(header) + member.size
    yield from directory
    yield _end(len(directory), sum(map(len, directory)), offset)


def _local_header(name: bytes, size: int, checksum: int, offset: int, alignment: int) -> bytes:
    is_large = size >= _MOST
    extra = _ZIP64_SIZES.pack(1, 16, size, size) if is_large else b""
    end = offset + _LOCAL.size + len(name) + len(extra) + _PADDING.size
    padding = -end % alignment
    extra += _PADDING.pack(PADDING_ID, padding) + bytes(padding)
    short = _MOST if is_large else size
    version = _VERSION64 if is_large else _VERSION
    return (
        _LOCAL.pack(0x04034B50, version, 0, 0, 0, _DATE, checksum, short, short, len(name), len(extra))
        + name
        + extra
    )


def _central_header(name: bytes, size: int, checksum: int, offset: int) -> bytes:
    is_large = max(size, offset) >= _MOST
    extra = _ZIP64_ALL.pack(1, 24, size, size, offset) if is_large else b""
    version = _VERSION64 if is_large else _VERSION
    sizes = (_MOST, _MOST) if is_large else (size, size)
    place = _MOST if is_large else offset
    return (
        _CENTRAL.pack(
            *(0x02014B50, 3 << 8 | version, version, 0, 0, 0, _DATE, checksum, *sizes, len(name), len(extra)),
            *(0, 0, 0, _REGULAR_FILE, place),
        )
        + name
        + extra
    )


def _end(count: int, size: int, offset: int) -> bytes:
    is_large = count >= 0xFFFF or offset >= _MOST or size >= _MOST
    last = _END.pack(
        0x06054B50, 0, 0, min(count, 0xFFFF), min(count, 0xFFFF), min(size, _MOST), min(offset, _MOST), 0
    )
    if not is_large:
        return last
    end = _END64.pack(0x06064B50, _END64.size - 12, _VERSION64, _VERSION64, 0, 0, count, count, size, offset)
    return end + _LOCATOR64.pack(0x07064B50, 0, offset + size, 1) + last
