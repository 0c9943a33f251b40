"""Allocation: alignment, shapes and errors."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ExecutionError
from lite.runtime.allocation import aligned_bytes, allocate, copied


@pytest.mark.parametrize("alignment", [1, 2, 64, 4096])
@pytest.mark.parametrize("size", [0, 1, 63, 1000])
def test_aligned_bytes_start_at_a_multiple_of_the_alignment(size: int, alignment: int) -> None:
    array = aligned_bytes(size, alignment)
    assert (array.dtype, array.shape) == (np.dtype(np.uint8), (size,))
    # The address of an empty array is arbitrary.
    assert not size or array.ctypes.data % alignment == 0
    assert array.flags.writeable


def test_an_array_has_the_requested_shape_and_dtype() -> None:
    array = allocate((2, 3), np.dtype(np.float32))
    assert (array.dtype, array.shape) == (np.dtype(np.float32), (2, 3))


def test_too_large_an_array_is_an_execution_error() -> None:
    with pytest.raises(ExecutionError, match=f"cannot allocate a buffer of {4 << 60} bytes"):
        allocate((1 << 60,), np.dtype(np.float32))
    with pytest.raises(ExecutionError, match="cannot allocate"):
        aligned_bytes(1 << 62, 64)


def test_a_copy_shares_no_memory_and_is_in_c_order() -> None:
    array = np.arange(6, dtype=np.int64).reshape(2, 3).T
    copy = copied(array)
    np.testing.assert_array_equal(copy, array)
    assert copy.flags.c_contiguous
    assert not np.shares_memory(copy, array)


def test_a_copy_that_is_too_large_is_an_execution_error() -> None:
    array = np.broadcast_to(np.float32(0), (1 << 55, 4))
    with pytest.raises(ExecutionError, match=f"cannot allocate a buffer of {1 << 59} bytes"):
        copied(array)
