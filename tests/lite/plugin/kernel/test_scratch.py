"""Requests of a kernel get separate parts of the memory, each of which begins on a cache line."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from lite.plugin.kernel import Attributes, PrepareContext
from lite.plugin.kernel.scratch import ALIGNMENT, ScratchRequests
from lite.runtime.allocation import aligned_bytes


def context(threads: int) -> PrepareContext:
    return PrepareContext({}, {}, Attributes("relu", {}), lambda _, make: make(), threads=threads)


def test_requests_get_separate_arrays_of_their_shape_and_dtype() -> None:
    requests = ScratchRequests()
    kinds = [((3, 5), np.float32), ((), np.float64), ((0, 4), np.float32), ((7,), np.int8), ((2,), np.int64)]
    scratches = [requests.add(shape, np.dtype(dtype)) for shape, dtype in kinds]
    assert [scratch.size for scratch in scratches] == [64, 64, 0, 64, 64]
    assert (len(requests), requests.size) == (5, 256)
    memory = aligned_bytes(requests.size + 100, ALIGNMENT)
    requests.place(memory)
    for number, (scratch, (shape, dtype)) in enumerate(zip(scratches, kinds, strict=True)):
        assert (scratch.array.shape, scratch.array.dtype) == (shape, np.dtype(dtype))
        assert not scratch.array.size or scratch.array.ctypes.data % ALIGNMENT == 0
        scratch.array.fill(number)
    assert [set(scratch.array.reshape(-1).tolist()) for scratch in scratches] == [{0}, {1}, set(), {3}, {4}]
    assert np.may_share_memory(scratches[0].array, memory)


def test_placing_again_moves_the_array() -> None:
    requests = ScratchRequests()
    scratch = requests.add((4,), np.dtype(np.float32))
    memories = [aligned_bytes(requests.size, ALIGNMENT) for _ in range(2)]
    arrays: list[Array] = []
    for memory in memories:
        requests.place(memory)
        arrays.append(scratch.array)
    pairs = zip(arrays, memories, strict=True)
    assert [np.may_share_memory(array, memory) for array, memory in pairs] == [True] * 2
    assert not np.may_share_memory(arrays[0], arrays[1])


def test_a_request_has_no_array_before_it_is_placed() -> None:
    scratch = ScratchRequests().add((4,), np.dtype(np.float32))
    with pytest.raises(AttributeError, match="array"):
        assert scratch.array is None


def test_outside_any_plan_a_request_has_memory_of_its_own() -> None:
    ctx = context(1)
    one, other = ctx.scratch((2, 3)), ctx.scratch((2, 3), np.int64)
    assert (one.array.shape, one.array.dtype) == ((2, 3), np.dtype(np.float32))
    assert other.array.dtype == np.int64
    assert not np.may_share_memory(one.array, other.array)


@pytest.mark.parametrize(
    ("elements", "dtype", "row"), [(1, np.float32, 16), (17, np.float32, 32), (8, np.float64, 8)]
)
def test_each_thread_has_a_row_of_whole_cache_lines(elements: int, dtype: type, row: int) -> None:
    rows = context(3).scratch_per_thread(elements, dtype).array
    assert (rows.shape, rows.dtype, rows.flags.c_contiguous) == ((3, row), np.dtype(dtype), True)
