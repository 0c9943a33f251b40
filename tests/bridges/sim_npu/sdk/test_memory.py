from __future__ import annotations

import numpy as np
import pytest

from lite.bridges.sim_npu import sdk
from lite.bridges.sim_npu.sdk.memory import Memory
from lite.bridges.sim_npu.sdk.tensor import TensorType
from tests.bridges.sim_npu.sdk.program_run import floats


def test_what_is_copied_in_is_copied_out() -> None:
    memory, array = Memory(), floats(2, 3)
    handle = memory.allocate(array.nbytes)
    memory.copy_in(handle, array)
    result = np.empty((3, 2), np.float32).T
    assert not result.flags.c_contiguous

    memory.copy_out(handle, result)

    np.testing.assert_array_equal(result, array)


def test_the_device_has_a_copy_of_its_own() -> None:
    memory, array = Memory(), floats(4)
    want = array.copy()
    handle = memory.allocate(array.nbytes)
    memory.copy_in(handle, array)
    array[:] = 0
    result = np.empty(4, np.float32)

    memory.copy_out(handle, result)
    np.testing.assert_array_equal(result, want)

    result[:] = 0
    np.testing.assert_array_equal(memory.view(handle, TensorType("float32", (4,))), want)


def test_blocks_count_until_they_are_freed() -> None:
    memory = Memory(capacity=100)
    first = memory.allocate(60)

    with pytest.raises(sdk.NpuError, match="NPU-303 OUT_OF_MEMORY: 60 bytes wanted, 40 of 100 free"):
        memory.allocate(60)
    memory.free(first)
    second = memory.allocate(100)

    assert second != first
    assert memory.used == 100


def test_a_handle_that_is_none() -> None:
    memory = Memory()
    handle = memory.allocate(4)
    memory.free(handle)

    for use in (memory.free, lambda freed: memory.copy_in(freed, floats(1))):
        with pytest.raises(sdk.NpuError, match=f"NPU-301 INVALID_HANDLE: no block has the handle {handle}"):
            use(handle)


def test_a_tensor_of_another_size() -> None:
    memory = Memory()
    handle = memory.allocate(8)

    with pytest.raises(sdk.NpuError, match="NPU-302 SIZE_MISMATCH: the block has 8 bytes, the tensor 12"):
        memory.copy_in(handle, floats(3))
    with pytest.raises(sdk.NpuError, match="NPU-302 SIZE_MISMATCH"):
        memory.copy_out(handle, floats(3))


def test_a_finalizer_may_free_while_memory_is_allocated() -> None:
    memory = Memory(capacity=100)
    handle = memory.allocate(100)

    with memory._lock:
        memory.free(handle)

    assert memory.used == 0
    memory.allocate(100)
