"""Reductions of segments equal TensorFlow Lite's interpreter."""

from __future__ import annotations

import numpy as np
import pytest

import lite
from lite.errors import ModelParseError
from lite.plugin.format import ModelSource
from tests.model_parser.tflite.compare import check
from tests.model_parser.tflite.models import case, f32, ints, noise

UNSORTED = [f"UNSORTED_SEGMENT_{name}" for name in ("SUM", "MAX", "MIN", "PROD")]


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("shape", [(5,), (5, 2), (5, 2, 3)])
def test_segment_sum(shape: tuple[int, ...], dtype: str) -> None:
    data, segments = (9 * noise(*shape)).astype(dtype), ints(0, 0, 1, 2, 2)
    out = [((3, *shape[1:]), dtype)]
    check(case("computed", "SEGMENT_SUM", [data, segments], out))
    check(case("constant", "SEGMENT_SUM", [data], out, constants={1: segments}))


@pytest.mark.parametrize("op", UNSORTED)
@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("computed", [False, True])
def test_unsorted_segments_may_be_empty_or_negative(op: str, dtype: str, computed: bool) -> None:
    data, segments, count = (9 * noise(5, 3)).astype(dtype), ints(3, -1, 0, 3, -2), np.array(5, np.int32)
    inputs, constants = ([data, segments, count], {}) if computed else ([data, segments], {2: count})
    check(case("segments", op, inputs, [((5, 3), dtype)], constants=constants))


@pytest.mark.parametrize("op", UNSORTED)
def test_segment_numbers_of_two_axes(op: str) -> None:
    inputs = [noise(2, 3, 4), ints(0, 2, 1, 2, 2, 0).reshape(2, 3)]
    check(case("segments", op, inputs, f32(3, 4), constants={2: np.array(3, np.int32)}))


def test_segment_numbers_of_more_axes_than_the_rows_are_refused() -> None:
    wrong = case("wrong", "SEGMENT_SUM", [noise(3), ints(0, 1, 1).reshape(3, 1)], f32(2))
    with pytest.raises(ModelParseError, match="expected segment numbers of rank 1 to 1, got rank 2"):
        lite.load_program(ModelSource(model=wrong.model))
