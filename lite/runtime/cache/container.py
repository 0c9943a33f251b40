"""The file format of a kept model.

::

    magic          8 bytes
    version        uint32        of this format
    header size    uint32
    blob size      uint64
    header         JSON: the key, part by part, and what people want to know
    head digest    32 bytes      over all before it
    blob
    blob digest    32 bytes      over head digest and blob

Numbers are little-endian, digests BLAKE2b.  Every byte is covered by one of the digests, and the head
can be read, and checked, without the blob.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from typing import BinaryIO

from lite.errors import LiteError
from lite.runtime.cache.framing import DIGEST_BYTES

MAGIC = b"\x89LBDM\r\n\x1a"
VERSION = 1
_PREFIX = struct.Struct("<8sIIQ")

Header = Mapping[str, object]


class DamagedError(LiteError):
    """Raised for a file that does not hold what was once written."""


def pack(header: Header, blob: bytes | memoryview) -> list[bytes | memoryview]:
    """The pieces of a file that holds `blob`."""
    text = json.dumps(header, ensure_ascii=True).encode()
    head = _PREFIX.pack(MAGIC, VERSION, len(text), memoryview(blob).nbytes) + text
    head_digest = _digest(head)
    return [head, head_digest, blob, _digest(head_digest, blob)]


def read_header(file: BinaryIO, size: int) -> Header:
    """The header of a file of `size` bytes; raises `DamagedError`."""
    return _read_head(file, size)[0]


def read_container(file: BinaryIO, size: int) -> tuple[Header, bytes]:
    """Header and blob of a file of `size` bytes, all of it checked; raises `DamagedError`."""
    header, head_digest, blob_size = _read_head(file, size)
    blob = file.read(blob_size)
    if file.read(DIGEST_BYTES + 1) != _digest(head_digest, blob):
        raise DamagedError("the model's checksum is wrong")
    return header, blob


def _read_head(file: BinaryIO, size: int) -> tuple[Header, bytes, int]:
    prefix = file.read(_PREFIX.size)
    if len(prefix) < _PREFIX.size:
        raise DamagedError(f"it ends after {len(prefix)} bytes")
    magic, version, header_size, blob_size = _PREFIX.unpack(prefix)
    if magic != MAGIC:
        raise DamagedError("it does not begin as a kept model does")
    if version != VERSION:
        raise DamagedError(f"it has version {version} of the format, expected {VERSION}")
    expected = _PREFIX.size + header_size + blob_size + 2 * DIGEST_BYTES
    if size != expected:
        raise DamagedError(f"it has {size} bytes, expected {expected}")
    text = file.read(header_size)
    head_digest = file.read(DIGEST_BYTES)
    if head_digest != _digest(prefix + text):
        raise DamagedError("the header's checksum is wrong")
    try:
        header = json.loads(text)
    except ValueError as error:
        raise DamagedError(f"the header is not JSON: {error}") from error
    if not isinstance(header, dict):
        raise DamagedError("the header is no JSON object")
    return header, head_digest, blob_size


def _digest(*pieces: bytes | memoryview) -> bytes:
    found = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for piece in pieces:
        found.update(piece)
    return found.digest()
