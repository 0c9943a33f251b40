"""The file format of a kept model.

::

    magic          8 bytes
    version        uint32        of this format
    header size    uint32
    blob size      uint64
    header         JSON: the key, part by part, and what people want to know
    head digest    32 bytes      over all before it
    blob                         begins at a multiple of 64: the header ends in blanks
    blob checksum  uint32        CRC-32, which is several times faster than a digest

Numbers are little-endian, the digest is BLAKE2b.  Every byte is checked, and the head can be read, and
checked, without the blob.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import struct
import zlib
from collections.abc import Mapping
from typing import BinaryIO

from lite.cache.field_digest import DIGEST_BYTES
from lite.errors import LiteError

MAGIC = b"\x89LBDM\r\n\x1a"
VERSION = 1
ALIGNMENT = 64
"""In bytes: where arrays begin, for vector registers and lines of the CPU's cache."""

_PREFIX = struct.Struct("<8sIIQ")
_CHECKSUM = struct.Struct("<I")

Header = Mapping[str, object]


class DamagedError(LiteError):
    """Raised for a file that does not hold what was once written."""


def pack(header: Header, blob: bytes | memoryview) -> list[bytes | memoryview]:
    """The pieces of a file that holds `blob`."""
    text = json.dumps(header, ensure_ascii=True).encode()
    text += b" " * (-(_PREFIX.size + len(text) + DIGEST_BYTES) % ALIGNMENT)
    head = _PREFIX.pack(MAGIC, VERSION, len(text), memoryview(blob).nbytes) + text
    return [head, _digest(head), blob, _checksum(blob)]


def read_header(file: BinaryIO, size: int) -> Header:
    """The header of a file of `size` bytes; raises `DamagedError`."""
    return _read_head(file, size)[0]


def read_container(file: BinaryIO, size: int) -> tuple[Header, bytes]:
    """Header and blob of a file of `size` bytes, all of it checked; raises `DamagedError`."""
    header, blob_size = _read_head(file, size)
    blob = file.read(blob_size)
    if file.read(_CHECKSUM.size + 1) != _checksum(blob):
        raise DamagedError("the model's checksum is wrong")
    return header, blob


def map_container(file: BinaryIO, size: int) -> tuple[Header, memoryview]:
    """As `read_container`; the blob is mapped into memory and stays when the file goes."""
    header, blob_size = _read_head(file, size)
    start = file.tell()
    # What is never empty can be mapped: there is a head.
    content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    blob = content[start : start + blob_size]
    if content[start + blob_size :] != _checksum(blob):
        raise DamagedError("the model's checksum is wrong")
    return header, blob


def _read_head(file: BinaryIO, size: int) -> tuple[Header, int]:
    prefix = file.read(_PREFIX.size)
    if len(prefix) < _PREFIX.size:
        raise DamagedError(f"it ends after {len(prefix)} bytes")
    magic, version, header_size, blob_size = _PREFIX.unpack(prefix)
    if magic != MAGIC:
        raise DamagedError("it does not begin as a kept model does")
    if version != VERSION:
        raise DamagedError(f"it has version {version} of the format, expected {VERSION}")
    expected = _PREFIX.size + header_size + DIGEST_BYTES + blob_size + _CHECKSUM.size
    if size != expected:
        raise DamagedError(f"it has {size} bytes, expected {expected}")
    text = file.read(header_size)
    if file.read(DIGEST_BYTES) != _digest(prefix + text):
        raise DamagedError("the header's checksum is wrong")
    try:
        header = json.loads(text)
    except ValueError as error:
        raise DamagedError(f"the header is not JSON: {error}") from error
    if not isinstance(header, dict):
        raise DamagedError("the header is no JSON object")
    return header, blob_size


def _digest(head: bytes) -> bytes:
    return hashlib.blake2b(head, digest_size=DIGEST_BYTES).digest()


def _checksum(blob: bytes | memoryview) -> bytes:
    return _CHECKSUM.pack(zlib.crc32(blob))
