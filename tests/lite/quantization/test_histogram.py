"""Histogram against numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from lite.quantization.histogram import HALF, Histogram


def histogram_of(*arrays: Array) -> Histogram:
    histogram = Histogram()
    for array in arrays:
        histogram.add(array)
    return histogram


def test_counts_equal_those_of_numpy() -> None:
    # Multiples of 1/8 plus 1/16, and a limit that is a power of 2: no number lies on the edge of a bin.
    array = (np.random.default_rng(0).integers(-64, 64, 5000) / 8 + 1 / 16).astype(np.float32)
    array = np.append(array, np.float32(8))
    counts, _ = np.histogram(array, bins=2 * HALF, range=(-8, 8))

    histogram = histogram_of(array)

    assert histogram.limit == 8
    np.testing.assert_array_equal(histogram.counts, counts)


def test_a_growing_range_merges_bins_and_loses_no_count() -> None:
    rng = np.random.default_rng(1)
    parts = [rng.standard_normal(1000).astype(np.float32) * scale for scale in (0.1, 1, 50)]

    histogram = histogram_of(*parts)

    assert histogram.counts.sum() == 3000
    assert histogram.limit >= max(float(np.abs(part).max()) for part in parts)
    whole = np.concatenate(parts)
    assert (histogram.low, histogram.high) == (whole.min(), whole.max())
    edges = np.linspace(-histogram.limit, histogram.limit, 2 * HALF + 1)
    expected, _ = np.histogram(whole, bins=edges)
    assert np.abs(histogram.counts - expected).sum() <= 6  # numbers on the edge of a bin


@pytest.mark.parametrize("fraction", [0.001, 0.25, 0.5, 0.9, 0.999])
def test_quantiles_are_exact_to_a_bin(fraction: float) -> None:
    array = np.random.default_rng(2).standard_normal(20_000).astype(np.float32)

    histogram = histogram_of(array)

    expected = np.quantile(array, fraction, method="inverted_cdf")
    assert abs(histogram.quantile(fraction) - expected) <= histogram.limit / HALF


def test_zeros_have_a_range_of_zero() -> None:
    histogram = histogram_of(np.zeros(7, np.float32))

    assert (histogram.low, histogram.high, histogram.limit) == (0, 0, 0)
    assert histogram.quantile(0.5) == 0


def test_zeros_before_other_numbers_are_counted() -> None:
    histogram = histogram_of(np.zeros(7, np.float32), np.array([4], np.float32))

    assert histogram.counts[HALF] == 7
    assert histogram.counts.sum() == 8
