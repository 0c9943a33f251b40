"""Constants with elements of less than 8 bits, and constants with a scale per block of a row."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from lite.errors import ModelParseError
from lite.ir.types import Array, DType
from lite.plugin.format.flatbuffer import Table

BLOCKWISE = 2
"""The number of BlockwiseQuantization among the details of a quantisation."""


def unpacked(content: Array, dtype: DType, bits: int, count: int) -> Array:
    """The bytes of `count` elements of an 8-bit type, from bytes that hold the first one in the low bits."""
    per_byte = 8 // bits
    if content.size != -(-count // per_byte):
        return content
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    elements = ((content[:, None] >> shifts).reshape(-1)[:count] & ((1 << bits) - 1)).astype(np.uint8)
    if dtype is DType.INT8:
        sign = np.uint8(1 << (bits - 1))
        elements = (elements ^ sign) - sign
    return elements


def by_blocks(details: Table, elements: Array, constant: Callable[[int], Array]) -> Array:
    """The numbers float32 that integers ``[…, n]`` mean, with a scale for each block of the last axis.

    `constant` gives the elements of another tensor by its number.  Raises `ModelParseError` for scales that
    do not fit the elements.
    """
    size, sizes = details.integer(2, "i"), elements.shape
    scales = _numbers(constant(details.integer(0, "i")), size, sizes)
    # 0 is the default of the field: no zero points, as -1.
    zero = details.integer(1, "i")
    blocks = elements.astype(np.float32).reshape(*scales.shape, size)
    if zero > 0:
        blocks = blocks - _numbers(constant(zero), size, sizes)[..., None]
    return np.asarray(blocks * scales[..., None]).reshape(sizes)


def _numbers(array: Array, size: int, sizes: Sequence[int]) -> Array:
    """One number for each block of `size` elements of the last axis."""
    wanted = (*sizes[:-1], sizes[-1] // size) if size > 0 and sizes and sizes[-1] % size == 0 else None
    if wanted is None or array.size != math.prod(wanted):
        raise ModelParseError(
            f"expected blocks that divide the last of the sizes {list(sizes)} and a number for each, "
            f"got blocks of {size} and {array.size} numbers"
        )
    return array.astype(np.float32).reshape(wanted)
