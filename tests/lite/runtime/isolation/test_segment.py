"""Shared memory and what lies where in it."""

from __future__ import annotations

import gc
import os

import ml_dtypes
import numpy as np
import pytest

from lite.errors import GraphError
from lite.runtime.isolation.segment import Box, Segment, TensorSpec, placed
from tests.lite.runtime.isolation.processes import descriptors, linux_only


def test_tensors_lie_behind_each_other_aligned() -> None:
    specs = [
        TensorSpec("float32", (3,)),
        TensorSpec("int8", (0, 4)),
        TensorSpec("bool", ()),
        TensorSpec("float64", (2, 2)),
    ]
    found, size = placed(specs, 64)
    assert [(spec.offset, spec.nbytes) for spec in found] == [(0, 12), (64, 0), (64, 1), (128, 32)]
    assert size == 160
    assert [(spec.dtype, spec.shape) for spec in found] == [(spec.dtype, spec.shape) for spec in specs]
    assert placed([], 64) == ([], 0)


@pytest.mark.parametrize("dtype", [np.float32, np.bool_, np.int64, np.complex64, ml_dtypes.bfloat16])
def test_arrays_come_back(dtype: type[np.generic]) -> None:
    base = np.arange(24).astype(dtype).reshape(2, 3, 4)
    arrays = [base, base.T, base[:, ::2], base[0, 0, 0].reshape(()), base[:0]]
    segment, specs = Segment.holding(arrays)
    for array, spec in zip(arrays, specs, strict=True):
        found = segment.array(spec)
        np.testing.assert_array_equal(found, array)
        assert found.dtype == array.dtype
        assert found.ctypes.data % 64 == 0 or not found.size


def test_what_is_no_tensor() -> None:
    with pytest.raises(GraphError, match="is not an element type"):
        TensorSpec.of(np.zeros(2, "M8[s]"))
    with pytest.raises(GraphError, match="strings and other objects cannot be shared"):
        TensorSpec.of(np.array([object()]))


def test_a_segment_is_seen_by_whoever_maps_it() -> None:
    ours = Segment.create(100)
    theirs = Segment(os.dup(ours.descriptor), ours.size)
    spec = TensorSpec("int32", (5,), 64)
    ours.array(spec)[...] = [1, 2, 3, 4, 5]
    assert theirs.array(spec).tolist() == [1, 2, 3, 4, 5]


@linux_only
def test_a_segment_leaves_nothing() -> None:
    gc.collect()
    names, before = os.listdir("/dev/shm"), descriptors()
    segment = Segment.create(1 << 20)
    array = segment.array(TensorSpec("uint8", (1 << 20,)))
    array[...] = 7
    assert os.listdir("/dev/shm") == names
    segment.sent()
    assert segment.is_sent
    segment.sent()
    del segment
    assert array.sum() == 7 << 20
    del array
    gc.collect()
    assert descriptors() == before


@linux_only
def test_memory_that_cannot_be_had_is_an_error() -> None:
    before = descriptors()
    with pytest.raises(OSError, match=r"."):
        Segment.create(1 << 60)
    assert descriptors() == before


def test_a_box_is_replaced_when_it_is_too_small() -> None:
    box = Box()
    assert box.unsent is None
    (spec,) = box.put([np.arange(100)])
    first = box.unsent
    assert first is not None
    first.sent()
    assert box.unsent is None
    box.put([np.arange(100)])
    assert box.unsent is None
    (large,) = box.put([np.arange(10_000)])
    assert box.unsent is not None
    assert box.array(large).tolist() == list(range(10_000))
    assert first.array(spec).tolist() == list(range(100))


def test_a_box_does_not_move_tensors_over_each_other() -> None:
    box = Box()
    specs = box.reserve([TensorSpec("int64", (8,)), TensorSpec("int64", (8,))])
    first, second = (box.array(spec) for spec in specs)
    first[...], second[...] = 1, 2
    swapped = [box.array(spec).tolist() for spec in box.put([second, first])]
    assert swapped == [[2] * 8, [1] * 8]
