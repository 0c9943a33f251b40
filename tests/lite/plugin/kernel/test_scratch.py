"""Requests of a kernel lie behind one another, on cache lines, in whatever room they are given."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from lite.plugin.kernel import Attributes, PrepareContext
from lite.plugin.kernel.scratch import ALIGNMENT, ScratchRequests
from lite.runtime.allocation import aligned_bytes


def context(threads: int) -> PrepareContext:
    return PrepareContext({}, {}, Attributes("relu", {}), lambda _, make: make(), threads=threads)


def test_requests_are_apart_and_each_is_as_asked() -> None:
    requests = ScratchRequests()
    asked = [((3, 5), np.float32), ((), np.float64), ((0, 4), np.float32), ((7,), np.int8), ((2,), np.int64)]
    found = [requests.add(shape, np.dtype(dtype)) for shape, dtype in asked]
    assert [scratch.size for scratch in found] == [64, 64, 0, 64, 64]
    assert (len(requests), requests.size) == (5, 256)
    room = aligned_bytes(requests.size + 100, ALIGNMENT)
    requests.place(room)
    for number, (scratch, (shape, dtype)) in enumerate(zip(found, asked, strict=True)):
        assert (scratch.array.shape, scratch.array.dtype) == (shape, np.dtype(dtype))
        assert not scratch.array.size or scratch.array.ctypes.data % ALIGNMENT == 0
        scratch.array.fill(number)
    assert [set(scratch.array.reshape(-1).tolist()) for scratch in found] == [{0}, {1}, set(), {3}, {4}]
    assert np.may_share_memory(found[0].array, room)


def test_a_request_moves_with_its_room() -> None:
    requests = ScratchRequests()
    scratch = requests.add((4,), np.dtype(np.float32))
    rooms = [aligned_bytes(requests.size, ALIGNMENT) for _ in range(2)]
    seen: list[Array] = []
    for room in rooms:
        requests.place(room)
        seen.append(scratch.array)
    assert [np.may_share_memory(array, room) for array, room in zip(seen, rooms, strict=True)] == [True] * 2
    assert not np.may_share_memory(seen[0], seen[1])


def test_before_the_room_is_there_a_request_has_no_array() -> None:
    scratch = ScratchRequests().add((4,), np.dtype(np.float32))
    with pytest.raises(AttributeError, match="array"):
        assert scratch.array is None


def test_outside_of_a_plan_a_request_has_memory_of_its_own() -> None:
    ctx = context(1)
    one, other = ctx.scratch((2, 3)), ctx.scratch((2, 3), np.int64)
    assert (one.array.shape, one.array.dtype) == ((2, 3), np.dtype(np.float32))
    assert other.array.dtype == np.int64
    assert not np.may_share_memory(one.array, other.array)


@pytest.mark.parametrize(
    ("elements", "dtype", "room"), [(1, np.float32, 16), (17, np.float32, 32), (8, np.float64, 8)]
)
def test_each_thread_has_a_row_of_whole_cache_lines(elements: int, dtype: type, room: int) -> None:
    rows = context(3).scratch_per_thread(elements, dtype).array
    assert (rows.shape, rows.dtype, rows.flags.c_contiguous) == ((3, room), np.dtype(dtype), True)
