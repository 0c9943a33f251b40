"""Grids of activations and integers of weights against loops over single numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from lite.quantization.grid import Scheme, quantize_weight


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize(("low", "high"), [(-3, 5), (0.5, 2), (-4, -1), (-0.1, 0)])
def test_a_grid_covers_the_range_and_zero(low: float, high: float, symmetric: bool) -> None:
    grid = Scheme(symmetric).grid(low, high)

    ends = [(integer - grid.zero_point) * grid.step for integer in (grid.least, grid.most)]
    assert ends[0] <= min(low, 0) + grid.step / 2
    assert ends[1] >= max(high, 0) - grid.step / 2
    assert grid.least <= grid.zero_point <= grid.most
    assert grid.nearest(np.zeros(1, np.float32))[0] == 0


def test_symmetric_grids_have_no_zero_point() -> None:
    grid = Scheme(symmetric=True).grid(-2, 1)

    assert (grid.zero_point, grid.least, grid.most) == (0, -128, 127)
    assert grid.step == np.float32(2 / 127)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("constant", [3.5, -0.25, 0.0])
def test_a_constant_is_exact(constant: float, symmetric: bool) -> None:
    grid = Scheme(symmetric).grid(constant, constant)

    assert grid.step > 0
    assert grid.nearest(np.array([constant], np.float32))[0] == pytest.approx(constant, rel=1e-6)


def test_nearest_rounds_halves_to_even_and_clips() -> None:
    grid = Scheme(symmetric=True).grid(-127, 127)

    numbers = np.array([0.5, 1.5, -2.5, 3.2, 200, -200], np.float32)

    np.testing.assert_array_equal(grid.nearest(numbers), [0, 2, -2, 3, 127, -128])


@pytest.mark.parametrize("axis", [-1, 0, 1, 3])
@pytest.mark.parametrize("bits", [8, 4])
def test_weights_are_the_nearest_multiples_of_their_steps(axis: int, bits: int) -> None:
    weight = np.random.default_rng(3).standard_normal((4, 3, 2, 5)).astype(np.float32)
    most = 2 ** (bits - 1) - 1

    quantized = quantize_weight(weight, axis, bits)

    channels = [weight] if axis < 0 else np.moveaxis(weight, axis, 0)
    integers = [quantized.values] if axis < 0 else np.moveaxis(quantized.values, axis, 0)
    assert quantized.values.dtype == np.int8
    assert len(quantized.steps) == len(channels)
    for channel, got, step in zip(channels, integers, quantized.steps, strict=True):
        assert step == np.float32(np.abs(channel).max() / np.float32(most))
        expected = [round(Fraction(float(x)) / Fraction(float(step))) for x in channel.flat]
        differences = np.abs(got.reshape(-1) - np.array(expected))
        assert differences.sum() <= 1  # a quotient may round to a half as float32
        assert np.abs(got).max() == most


def test_a_channel_of_zeros_stays_zero() -> None:
    quantized = quantize_weight(np.zeros((2, 3), np.float32), 0, 8)

    np.testing.assert_array_equal(quantized.steps, [1, 1])
    np.testing.assert_array_equal(quantized.dequantized(), np.zeros((2, 3)))
