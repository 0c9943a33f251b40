"""Summary: numbers of a tensor, against loops over its elements."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from lite.ir.types import Array, DType
from lite.runtime.observe.summary import Summary, summarize

FINITE = [1.5, -2.0, 0.0, 8.0, 0.0, 0.25]
NON_FINITE = [float("nan"), -2.0, float("inf"), 8.0, 0.0, float("-inf")]


def expected(array: Array, dtype: DType) -> Summary:
    """The summary computed from its definition."""
    values = [float(x) for x in array.reshape(-1)]
    finite = [x for x in values if math.isfinite(x)]
    return Summary(
        dtype,
        array.shape,
        len(values),
        min(finite),
        max(finite),
        sum(finite) / len(finite),
        sum(math.isnan(x) for x in values),
        sum(math.isinf(x) for x in values),
        sum(x == 0 for x in values) / len(values),
    )


def equal(a: Summary, b: Summary) -> bool:
    """Whether two summaries are equal, up to the last digits of the means."""
    numbers = [[s.mean or 0.0, s.zeros or 0.0] for s in (a, b)]
    rest = [{**vars(s), "mean": s.mean is None, "zeros": s.zeros is None} for s in (a, b)]
    return rest[0] == rest[1] and np.allclose(numbers[0], numbers[1], rtol=1e-12)


@pytest.mark.parametrize("values", [FINITE, NON_FINITE], ids=["finite", "non-finite"])
@pytest.mark.parametrize("dtype", [DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32, DType.FLOAT64], ids=str)
def test_floats_have_range_mean_and_counts(values: list[float], dtype: DType) -> None:
    array = np.array(values).astype(dtype.numpy).reshape(2, 3)
    assert equal(summarize(array), expected(array, dtype))


@pytest.mark.parametrize("dtype", [DType.BOOL, DType.UINT8, DType.INT64], ids=str)
def test_integers_have_range_mean_and_counts(dtype: DType) -> None:
    array = np.array([[1, 0], [0, 1], [1, 1]], dtype.numpy)
    assert equal(summarize(array), expected(array, dtype))


def test_without_finite_elements_there_is_no_range() -> None:
    assert summarize(np.array([np.nan, np.inf], np.float32)) == Summary(
        DType.FLOAT32, (2,), 2, None, None, None, 1, 1, 0.0
    )


def test_empty_tensors_and_strings_have_no_numbers() -> None:
    assert summarize(np.zeros((0, 3), np.float32)) == Summary(DType.FLOAT32, (0, 3), 0)
    assert summarize(np.array(["a", ""], object)) == Summary(DType.STRING, (2,), 2)


def test_complex_numbers_are_only_counted() -> None:
    array = np.array([0, 1j, complex(np.nan, np.inf), complex(0, np.inf)], np.complex64)
    assert summarize(array) == Summary(DType.COMPLEX64, (4,), 4, None, None, None, 1, 1, 0.25)


def test_the_summary_of_a_tensor_array_covers_all_its_tensors() -> None:
    items = [np.array([1, np.nan], np.float32), None, np.array([[5.0, 0], [0, 0]], np.float32)]
    summary = summarize(items)  # type: ignore[arg-type]
    assert equal(summary, Summary(DType.FLOAT32, None, 6, 0.0, 5.0, 6 / 5, 1, 0, 3 / 6))
    assert summarize([]) == Summary(None, None, 0)


def test_a_merged_summary_covers_the_elements_of_both() -> None:
    a, b = np.array(NON_FINITE, np.float32), np.array(FINITE, np.float32)[:4]
    both = expected(np.concatenate([a, b]), DType.FLOAT32)
    assert equal(summarize(a).merged(summarize(b)), Summary(**{**vars(both), "shape": (4,)}))


def test_trouble_counts_nan_and_infinity() -> None:
    assert summarize(np.array(NON_FINITE, np.float32)).trouble == "1 NaN and 2 Inf of 6 elements"
    assert summarize(np.array([np.inf])).trouble == "1 Inf of 1 elements"
    finite = summarize(np.array(FINITE, ml_dtypes.bfloat16))
    assert (finite.is_finite, finite.trouble) == (True, "")
