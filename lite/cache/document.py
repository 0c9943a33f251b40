"""Blobs of plain data and arrays.

::

    text size      uint64, little-endian
    text           JSON: the data, and the table of the arrays; ends in blanks
    content        the arrays that lie in no other file; begins at a multiple of 64
"""

from __future__ import annotations

import json
import struct
from typing import Any

from lite.cache.array_table import ArrayWriter, NotKeptError
from lite.cache.container import ALIGNMENT

_SIZE = struct.Struct("<Q")


def joined(data: object, arrays: ArrayWriter) -> bytes:
    """The blob of what JSON can say and of arrays; raises `NotKeptError`."""
    try:
        text = json.dumps([data, arrays.table]).encode()
    except (TypeError, ValueError) as error:
        raise NotKeptError(f"it is no plain data: {error}") from error
    text += b" " * (-(_SIZE.size + len(text)) % ALIGNMENT)
    return b"".join((_SIZE.pack(len(text)), text, arrays.content()))


def parted(blob: memoryview) -> tuple[Any, list[Any], memoryview]:
    """The data, the table and the content of a blob; raises `NotKeptError`."""
    try:
        (size,) = _SIZE.unpack_from(blob)
        data, table = json.loads(bytes(blob[_SIZE.size : _SIZE.size + size]))
    except (struct.error, ValueError, TypeError) as error:
        raise NotKeptError(f"it holds no plain data: {error}") from error
    return data, table, blob[_SIZE.size + size :]
