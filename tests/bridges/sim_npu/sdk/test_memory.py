"""The device memory of the SDK."""

from __future__ import annotations

import numpy as np
import pytest

from lite.bridges.sim_npu import sdk
from lite.bridges.sim_npu.sdk.memory import Memory
from lite.bridges.sim_npu.sdk.tensor import TensorType
from tests.bridges.arrays import floats


def test_copy_out_returns_what_copy_in_wrote() -> None:
    memory, array = Memory(), floats(2, 3)
    handle = memory.allocate(array.nbytes)
    memory.copy_in(handle, array)
    result = np.empty((3, 2), np.float32).T
    assert not result.flags.c_contiguous

    memory.copy_out(handle, result)

    np.testing.assert_array_equal(result, array)


def test_the_device_has_its_own_copy() -> None:
    memory, array = Memory(), floats(4)
    expected = array.copy()
    handle = memory.allocate(array.nbytes)
    memory.copy_in(handle, array)
    array[:] = 0
    result = np.empty(4, np.float32)

    memory.copy_out(handle, result)
    np.testing.assert_array_equal(result, expected)

    result[:] = 0
    np.testing.assert_array_equal(memory.view(handle, TensorType("float32", (4,))), expected)


def test_memory_is_in_use_until_it_is_freed() -> None:
    memory = Memory(capacity=100)
    first = memory.allocate(60)

    with pytest.raises(
        sdk.NpuError, match="NPU-303 OUT_OF_MEMORY: cannot allocate 60 bytes, 40 of 100 are free"
    ):
        memory.allocate(60)
    memory.free(first)
    second = memory.allocate(100)

    assert second != first
    assert memory.used == 100


def test_a_freed_handle_is_an_error() -> None:
    memory = Memory()
    handle = memory.allocate(4)
    memory.free(handle)

    for use in (memory.free, lambda freed: memory.copy_in(freed, floats(1))):
        with pytest.raises(sdk.NpuError, match=f"NPU-301 INVALID_HANDLE: no block has the handle {handle}"):
            use(handle)


def test_a_tensor_of_another_size_is_an_error() -> None:
    memory = Memory()
    handle = memory.allocate(8)

    with pytest.raises(sdk.NpuError, match="NPU-302 SIZE_MISMATCH: the block has 8 bytes, the tensor 12"):
        memory.copy_in(handle, floats(3))
    with pytest.raises(sdk.NpuError, match="NPU-302 SIZE_MISMATCH"):
        memory.copy_out(handle, floats(3))


def test_a_finalizer_may_free_while_the_lock_is_held() -> None:
    memory = Memory(capacity=100)
    handle = memory.allocate(100)

    with memory._lock:
        memory.free(handle)

    assert memory.used == 0
    memory.allocate(100)
