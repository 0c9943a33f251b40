"""Allocation of uninitialised arrays."""

from __future__ import annotations

import math

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import Array


def allocate(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Array:
    """An uninitialised array; raises `ExecutionError` when there is not enough memory."""
    try:
        return np.empty(shape, dtype)
    except (MemoryError, ValueError) as error:
        size = math.prod(shape) * dtype.itemsize
        raise ExecutionError(f"cannot allocate a buffer of {size} bytes: {error}") from error


def copied(array: Array) -> Array:
    """A copy in C order; raises as `allocate`."""
    copy = allocate(array.shape, array.dtype)
    np.copyto(copy, array)
    return copy


def aligned_bytes(size: int, alignment: int) -> Array:
    """uint8[size], starting at a multiple of `alignment` bytes; raises as `allocate`."""
    raw = allocate((size + alignment,), np.dtype(np.uint8))
    skip = -raw.ctypes.data % alignment
    return raw[skip : skip + size]
