"""The member with all arrays, compressed: smaller files, which are decompressed whole at each start.

=======  ==========================================================
bytes    meaning (little-endian)
=======  ==========================================================
8        bytes of the plain member
…        the plain member by zlib (RFC 1950), in one stream
=======  ==========================================================
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from lite.cache.entry import ALIGNMENT, InvalidEntryError
from lite.ir.limits import Limits

_SIZE = struct.Struct("<Q")
_LEVEL = 6
_STEP = 1 << 20
_MOST_RATIO = 1100
"""zlib makes nothing smaller than a 1032nd; a file that states more is wrong."""

_USUAL_RATIO = 8
"""How many times their size in a file weights have at most, unless they hardly differ from each other."""


def compressed(chunks: Sequence[bytes | memoryview]) -> Iterator[bytes]:
    """The bytes of the member for the chunks of the plain one."""
    yield _SIZE.pack(sum(memoryview(chunk).nbytes for chunk in chunks))
    stream = zlib.compressobj(_LEVEL)
    for chunk in chunks:
        view = memoryview(chunk)
        for start in range(0, view.nbytes, _STEP):
            yield stream.compress(view[start : start + _STEP])
    yield stream.flush()


def decompressed(content: memoryview, limits: Limits) -> memoryview:
    """The plain member, read-only, at a multiple of 64 bytes.

    No more memory is taken than the file states.  Raises `InvalidEntryError` for damage and where there is
    no such memory, and `GraphError` for a file that asks for more than `Limits.decompressed_bytes`.
    """
    if content.nbytes < _SIZE.size:
        raise InvalidEntryError("the compressed weights end in their header")
    (size,) = _SIZE.unpack_from(content)
    if size > _MOST_RATIO * content.nbytes:
        raise InvalidEntryError(f"{content.nbytes} compressed bytes cannot hold the {size} bytes of weights")
    if size > _USUAL_RATIO * content.nbytes:
        limits.check("decompressed_bytes", size, "the compressed weights")
    try:
        memory = np.empty(size + ALIGNMENT, np.uint8)
    except MemoryError as error:
        raise InvalidEntryError(f"there is no memory for {size} bytes of weights") from error
    start = -memory.ctypes.data % ALIGNMENT
    plain = memory[start : start + size]
    filled = 0
    stream = zlib.decompressobj()
    try:
        for position in range(_SIZE.size, content.nbytes, _STEP):
            rest: bytes | memoryview = content[position : position + _STEP]
            while rest:
                part = stream.decompress(rest, _STEP)
                if filled + len(part) > size:
                    raise InvalidEntryError(f"the weights have more bytes than the {size} that are stated")
                plain[filled : filled + len(part)] = np.frombuffer(part, np.uint8)
                filled += len(part)
                rest = stream.unconsumed_tail
                if stream.eof:
                    break
    except zlib.error as error:
        raise InvalidEntryError(f"the weights cannot be decompressed: {error}") from error
    if filled != size or not stream.eof:
        raise InvalidEntryError(f"the weights have {filled} bytes, expected {size}")
    plain.flags.writeable = False
    return plain.data
