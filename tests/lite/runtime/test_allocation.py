"""Memory for arrays."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ExecutionError
from lite.runtime.allocation import aligned_bytes, allocated


@pytest.mark.parametrize("alignment", [1, 2, 64, 4096])
@pytest.mark.parametrize("size", [0, 1, 63, 1000])
def test_bytes_begin_where_they_are_to(size: int, alignment: int) -> None:
    found = aligned_bytes(size, alignment)
    assert (found.dtype, found.shape) == (np.dtype(np.uint8), (size,))
    # numpy does not say where nothing lies.
    assert not size or found.ctypes.data % alignment == 0
    assert found.flags.writeable


def test_an_array_is_of_the_shape_and_type_wanted() -> None:
    found = allocated((2, 3), np.dtype(np.float32))
    assert (found.dtype, found.shape) == (np.dtype(np.float32), (2, 3))


def test_more_than_there_is_is_an_error_of_ours() -> None:
    with pytest.raises(ExecutionError, match=f"a buffer of {4 << 60} bytes cannot be had"):
        allocated((1 << 60,), np.dtype(np.float32))
    with pytest.raises(ExecutionError, match="cannot be had"):
        aligned_bytes(1 << 62, 64)
