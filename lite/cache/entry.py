"""Entry files: how an entry of the cache is written, read and checked.

A file holds one entry, in this format::

    magic          8 bytes
    version        uint32        of this format
    header size    uint32        in bytes
    blob size      uint64        in bytes
    header         JSON: the key, part by part, a description, and when the entry was stored
    head digest    32 bytes      BLAKE2b over everything above
    blob                         starts at a multiple of 64: the header is padded with blanks
    blob checksum  uint32        CRC-32, which is several times faster than a digest

Numbers are little-endian.  Every byte is checked when an entry is read; the header can be read, and
checked, without the blob.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from lite.cache.key import DIGEST_BYTES, CacheKey, KeyPart
from lite.dataclass import dataclass
from lite.errors import LiteError
from lite.trusted_folder import TrustedFolder, UntrustedError

SUFFIX = ".model"
"""The suffix of entry files; the rest of the name is the digest of the key."""

MAGIC = b"\x89LBDM\r\n\x1a"
VERSION = 1
ALIGNMENT = 64
"""Where blobs, and arrays in them, start, in bytes: for vector registers and cache lines."""

_PREFIX = struct.Struct("<8sIIQ")
_CHECKSUM = struct.Struct("<I")


class InvalidEntryError(LiteError):
    """Raised for an entry that is damaged, or does not hold what its key promises."""


@dataclass(frozen=True)
class Entry:
    """A file of the cache.

    `size` is in bytes; `created` and `last_used` (when it was stored or loaded last) are seconds since
    1970.  `problem` says what is wrong with the file; `key` is None when not even its header can be read.
    """

    path: Path
    size: int
    last_used: float
    key: CacheKey | None = None
    description: str = ""
    created: float = 0.0
    problem: str | None = None


def pack_entry(
    key: CacheKey, blob: bytes | memoryview, description: str, created: int
) -> list[bytes | memoryview]:
    """The chunks of the file of an entry."""
    header = {
        "described": description,
        "created": created,
        "key": [[part.name, part.digest, part.text] for part in key.parts],
    }
    text = json.dumps(header, ensure_ascii=True).encode()
    text += b" " * (-(_PREFIX.size + len(text) + DIGEST_BYTES) % ALIGNMENT)
    head = _PREFIX.pack(MAGIC, VERSION, len(text), memoryview(blob).nbytes) + text
    return [head, _digest(head), blob, _checksum(blob)]


def open_entry(path: Path) -> tuple[BinaryIO, int]:
    """The file at `path` and its size; raises `OSError`, and `InvalidEntryError` if it is not trusted."""
    try:
        with TrustedFolder(path.parent) as folder:
            file = folder.open(path.name)
    except UntrustedError as error:
        raise InvalidEntryError(str(error)) from error
    return file, os.fstat(file.fileno()).st_size


def read_entry(file: BinaryIO, size: int) -> tuple[CacheKey, bytes]:
    """Key and blob of an entry file of `size` bytes, all of it checked; raises `InvalidEntryError`."""
    header, blob_size = _read_header(file, size)
    blob = file.read(blob_size)
    if file.read(_CHECKSUM.size + 1) != _checksum(blob):
        raise InvalidEntryError("the blob's checksum is wrong")
    return _key(header), blob


def map_entry(file: BinaryIO, size: int) -> tuple[CacheKey, memoryview]:
    """As `read_entry`, but the blob is mapped into memory; it stays valid when the file is removed."""
    header, blob_size = _read_header(file, size)
    start = file.tell()
    # The file has a header by now; an empty file could not be mapped.
    content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    blob = content[start : start + blob_size]
    if content[start + blob_size :] != _checksum(blob):
        raise InvalidEntryError("the blob's checksum is wrong")
    return _key(header), blob


def inspect_entry(path: Path, *, check_blob: bool) -> Entry:
    """The entry in a file, by its header; with `check_blob`, the blob is checked, too.

    Raises `FileNotFoundError` when the file was removed.
    """
    status = path.stat()
    size, last_used = status.st_size, status.st_mtime
    try:
        file, length = open_entry(path)
        with file:
            header, _ = _read_header(file, length)
            key = _key(header)
            if check_blob:
                file.seek(0)
                read_entry(file, length)
    except FileNotFoundError:
        raise
    except (OSError, InvalidEntryError) as error:
        return Entry(path, size, last_used, problem=error_text(error))
    created, description = header.get("created"), str(header.get("described", ""))
    is_named_after_key = path.name == f"{key.digest}{SUFFIX}"
    return Entry(
        path,
        size,
        last_used,
        key,
        description,
        float(created) if isinstance(created, int | float) else 0.0,
        None if is_named_after_key else "it holds the entry of another key",
    )


def error_text(error: OSError | InvalidEntryError) -> str:
    """An error's message without the path, which the context of the message names."""
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def _read_header(file: BinaryIO, size: int) -> tuple[Mapping[str, object], int]:
    """The header of an entry file of `size` bytes, and the size of its blob."""
    prefix = file.read(_PREFIX.size)
    if len(prefix) < _PREFIX.size:
        raise InvalidEntryError(f"it ends after {len(prefix)} bytes")
    magic, version, header_size, blob_size = _PREFIX.unpack(prefix)
    if magic != MAGIC:
        raise InvalidEntryError("it does not start like a file of the cache")
    if version != VERSION:
        raise InvalidEntryError(f"it has version {version} of the format, expected {VERSION}")
    expected = _PREFIX.size + header_size + DIGEST_BYTES + blob_size + _CHECKSUM.size
    if size != expected:
        raise InvalidEntryError(f"it has {size} bytes, expected {expected}")
    text = file.read(header_size)
    if file.read(DIGEST_BYTES) != _digest(prefix + text):
        raise InvalidEntryError("the header's digest is wrong")
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidEntryError(f"the header is not JSON: {error}") from error
    if not isinstance(header, dict):
        raise InvalidEntryError("the header is not a JSON object")
    return header, blob_size


def _key(header: Mapping[str, object]) -> CacheKey:
    parts = header.get("key")
    try:
        return CacheKey.of(KeyPart(str(name), str(digest), str(text)) for name, digest, text in parts)  # type: ignore[attr-defined]
    except (TypeError, ValueError) as error:
        raise InvalidEntryError(f"the header has no key: {error}") from error


def _digest(head: bytes) -> bytes:
    return hashlib.blake2b(head, digest_size=DIGEST_BYTES).digest()


def _checksum(blob: bytes | memoryview) -> bytes:
    return _CHECKSUM.pack(zlib.crc32(blob))
