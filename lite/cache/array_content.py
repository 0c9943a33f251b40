"""Hashes of what arrays hold, at the speed of memory."""

from __future__ import annotations

import hashlib

import numpy as np

from lite.cache.field_digest import DIGEST_BYTES, digest_of
from lite.ir.types import Array, DType

_BLOCK = 1 << 16
"""Elements of a strided array that are put in a row at a time."""


def content_digest(array: Array) -> str:
    """BLAKE2b over the elements in row-major order, as bytes; strings one by one.

    Contiguous arrays are not copied, others block by block.
    """
    if array.dtype.kind in "OUS":
        return digest_of(item if isinstance(item, bytes) else str(item) for item in array.reshape(-1))
    found = hashlib.blake2b(digest_size=DIGEST_BYTES)
    if array.flags.c_contiguous:
        found.update(array.reshape(-1).view(np.uint8).data)
    else:
        blocks = np.nditer(
            array, flags=["external_loop", "buffered", "zerosize_ok"], order="C", buffersize=_BLOCK
        )
        for block in blocks:
            found.update(np.ascontiguousarray(block).view(np.uint8).data)
    return found.hexdigest()


def array_digest(array: Array, content: str) -> str:
    """The digest of an array with this content: with element type and shape."""
    return digest_of([str(DType.from_numpy(array.dtype)), array.dtype.byteorder, str(array.shape), content])
