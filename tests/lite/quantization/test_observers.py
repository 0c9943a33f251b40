"""Ranges that observers choose, against brute force over the elements."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from lite.quantization.grid import Scheme
from lite.quantization.observers import METHODS, Range, Tuning

SCHEMES = [Scheme(symmetric=True), Scheme(symmetric=False)]


def batches(seed: int = 0, count: int = 4) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(4000).astype(np.float32) * (1 + n) for n in range(count)]


def observed(method: str, arrays: list[Array], scheme: Scheme, tuning: Tuning | None = None) -> Range:
    observer = METHODS[method](tuning or Tuning())
    for array in arrays:
        observer.see(array)
    return observer.range(scheme)


def error(arrays: list[Array], chosen: Range, scheme: Scheme) -> float:
    """The mean square error of quantisation, element by element."""
    whole = np.concatenate(arrays)
    return float(np.mean((scheme.grid(*chosen).nearest(whole) - whole) ** 2, dtype=np.float64))


def test_min_max_is_the_range_of_all_elements() -> None:
    arrays = batches()
    whole = np.concatenate(arrays)

    assert observed("min_max", arrays, SCHEMES[0]) == (whole.min(), whole.max())


def test_moving_average_weighs_earlier_ranges_less() -> None:
    arrays = [np.array([-1, 2], np.float32), np.array([-3, 6], np.float32)]

    low, high = observed("moving_average", arrays, SCHEMES[0], Tuning(moving_rate=0.75))

    assert (low, high) == pytest.approx((-1.5, 3.0))


@pytest.mark.parametrize("percentile", [99.9, 99.0, 95.0])
def test_percentile_leaves_out_the_tails(percentile: float) -> None:
    arrays = batches()
    whole = np.concatenate(arrays)

    low, high = observed("percentile", arrays, SCHEMES[0], Tuning(percentile=percentile))

    width = 2.1 * float(np.abs(whole).max()) / 4096
    expected = np.percentile(whole, [100 - percentile, percentile], method="inverted_cdf")
    assert (low, high) == pytest.approx(expected, abs=width)


@pytest.mark.parametrize("scheme", SCHEMES, ids=["symmetric", "asymmetric"])
def test_mse_finds_nearly_the_least_error(scheme: Scheme) -> None:
    arrays = [np.random.default_rng(5).laplace(size=20_000).astype(np.float32)]
    whole = np.concatenate(arrays)
    fractions = np.linspace(0.1, 1, 40)
    candidates = [(float(whole.min() * a), float(whole.max() * b)) for a in fractions for b in fractions]
    best = min(error(arrays, candidate, scheme) for candidate in candidates)

    chosen = observed("mse", arrays, scheme)

    assert error(arrays, chosen, scheme) <= best * 1.02
    assert error(arrays, chosen, scheme) < error(arrays, (float(whole.min()), float(whole.max())), scheme)


@pytest.mark.parametrize("method", ["percentile", "kl"])
@pytest.mark.parametrize("scheme", SCHEMES, ids=["symmetric", "asymmetric"])
def test_few_outliers_are_clipped(method: str, scheme: Scheme) -> None:
    rng = np.random.default_rng(6)
    whole = np.append(rng.standard_normal(400_000), rng.choice([-50, 50], 20)).astype(np.float32)

    low, high = observed(method, [whole], scheme)

    assert 3 < high < 25
    assert -25 < low < -3


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scheme", SCHEMES, ids=["symmetric", "asymmetric"])
def test_a_uniform_distribution_is_not_clipped(method: str, scheme: Scheme) -> None:
    array = np.random.default_rng(7).uniform(-2, 2, 200_000).astype(np.float32)

    low, high = observed(method, [array], scheme)

    assert (low, high) == pytest.approx((-2, 2), rel=0.05)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scheme", SCHEMES, ids=["symmetric", "asymmetric"])
def test_zeros_give_a_valid_grid(method: str, scheme: Scheme) -> None:
    chosen = observed(method, [np.zeros(10, np.float32)], scheme)

    assert scheme.grid(*chosen).step > 0
