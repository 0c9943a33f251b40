"""Segment: shared memory, and the layout of tensors in it."""

from __future__ import annotations

import gc
import os

import ml_dtypes
import numpy as np
import pytest

from lite.errors import GraphError
from lite.runtime.isolation.segment import Segment, TensorBuffer, TensorSpec, lay_out
from tests.lite.runtime.isolation.processes import descriptors, linux_only


def test_tensors_are_laid_out_one_after_the_other_and_aligned() -> None:
    specs = (
        TensorSpec("float32", (3,)),
        TensorSpec("int8", (0, 4)),
        TensorSpec("bool", ()),
        TensorSpec("float64", (2, 2)),
    )
    placed, size = lay_out(specs, 64)
    assert [(spec.offset, spec.nbytes) for spec in placed] == [(0, 12), (64, 0), (64, 1), (128, 32)]
    assert size == 160
    assert [(spec.dtype, spec.shape) for spec in placed] == [(spec.dtype, spec.shape) for spec in specs]
    assert lay_out((), 64) == ((), 0)


@pytest.mark.parametrize("dtype", [np.float32, np.bool_, np.int64, np.complex64, ml_dtypes.bfloat16])
def test_a_segment_holds_copies_of_arrays(dtype: type[np.generic]) -> None:
    base = np.arange(24).astype(dtype).reshape(2, 3, 4)
    arrays = [base, base.T, base[:, ::2], base[0, 0, 0].reshape(()), base[:0]]
    segment, specs = Segment.holding(arrays)
    for array, spec in zip(arrays, specs, strict=True):
        copy = segment.array(spec)
        np.testing.assert_array_equal(copy, array)
        assert copy.dtype == array.dtype
        assert copy.ctypes.data % 64 == 0 or not copy.size


def test_dates_and_objects_have_no_spec() -> None:
    with pytest.raises(GraphError, match="is not an element type"):
        TensorSpec.of(np.zeros(2, "M8[s]"))
    with pytest.raises(GraphError, match="strings and other objects cannot be shared"):
        TensorSpec.of(np.array([object()]))


def test_two_mappings_of_a_segment_share_memory() -> None:
    first = Segment.create(100)
    second = Segment(os.dup(first.descriptor), first.size)
    spec = TensorSpec("int32", (5,), 64)
    first.array(spec)[...] = [1, 2, 3, 4, 5]
    assert second.array(spec).tolist() == [1, 2, 3, 4, 5]


@linux_only
def test_a_segment_leaves_no_file_and_no_descriptor() -> None:
    gc.collect()
    names, before = os.listdir("/dev/shm"), descriptors()
    segment = Segment.create(1 << 20)
    array = segment.array(TensorSpec("uint8", (1 << 20,)))
    array[...] = 7
    assert os.listdir("/dev/shm") == names
    segment.close_descriptor()
    assert segment.is_sent
    segment.close_descriptor()
    del segment
    assert array.sum() == 7 << 20
    del array
    gc.collect()
    assert descriptors() == before


@linux_only
def test_too_large_a_segment_is_an_error_and_leaves_no_descriptor() -> None:
    before = descriptors()
    with pytest.raises(OSError, match=r"."):
        Segment.create(1 << 60)
    assert descriptors() == before


def test_a_tensor_buffer_is_replaced_when_it_is_too_small() -> None:
    buffer = TensorBuffer()
    assert buffer.unsent is None
    (spec,) = buffer.put([np.arange(100)])
    first = buffer.unsent
    assert first is not None
    first.close_descriptor()
    assert buffer.unsent is None
    buffer.put([np.arange(100)])
    assert buffer.unsent is None
    (large,) = buffer.put([np.arange(10_000)])
    assert buffer.unsent is not None
    assert buffer.array(large).tolist() == list(range(10_000))
    assert first.array(spec).tolist() == list(range(100))


def test_a_tensor_buffer_can_take_its_own_tensors_in_another_order() -> None:
    buffer = TensorBuffer()
    specs = buffer.reserve([TensorSpec("int64", (8,)), TensorSpec("int64", (8,))])
    first, second = (buffer.array(spec) for spec in specs)
    first[...], second[...] = 1, 2
    swapped = [buffer.array(spec).tolist() for spec in buffer.put([second, first])]
    assert swapped == [[2] * 8, [1] * 8]
