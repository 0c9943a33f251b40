"""Memory for arrays: with any elements, or beginning at a multiple of some bytes."""

from __future__ import annotations

import math

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import Array


def allocated(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Array:
    """An array with any elements; raises `ExecutionError` where there is no memory for it."""
    try:
        return np.empty(shape, dtype)
    except (MemoryError, ValueError) as error:
        size = math.prod(shape) * dtype.itemsize
        raise ExecutionError(f"a buffer of {size} bytes cannot be had: {error}") from error


def aligned_bytes(size: int, alignment: int) -> Array:
    """That many bytes, the first at a multiple of `alignment`; raises as `allocated`."""
    raw = allocated((size + alignment,), np.dtype(np.uint8))
    skip = -raw.ctypes.data % alignment
    return raw[skip : skip + size]
