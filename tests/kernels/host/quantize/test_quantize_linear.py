"""Paddle's quantisation by the greatest magnitude, one element at a time from the definition."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lite.errors import GraphError
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked, filled, same

X = float32([[-3.0, -0.5, -0.125, 0.0], [0.25, 0.625, 1.0, 3.0]])


def to_even(number: float) -> int:
    return round(number)


def away_from_zero(number: float) -> int:
    return int(math.copysign(math.floor(abs(number) + 0.5), number))


@pytest.mark.parametrize("bits", [8, 4])
def test_round_type_0_rounds_to_even_and_uses_the_lowest_integer(bits: int) -> None:
    most = 2 ** (bits - 1) - 1
    attrs = {"bit_length": bits, "quant_axis": -1, "round_type": 0}

    (quantized,) = checked("quantize_linear", {"X": X, "Scale": float32([2.0])}, attrs)

    same(
        quantized,
        filled(X.shape, np.float32, lambda *at: min(max(to_even(X[at] * most / 2), -most - 1), most)),
    )


@pytest.mark.parametrize("bits", [8, 4])
def test_round_type_1_rounds_away_from_zero_and_is_symmetric(bits: int) -> None:
    most = 2 ** (bits - 1) - 1
    attrs = {"bit_length": bits, "quant_axis": -1, "round_type": 1}

    (quantized,) = checked("quantize_linear", {"X": X, "Scale": float32([2.0])}, attrs)

    expected = filled(
        X.shape, np.float32, lambda *at: away_from_zero(min(max(float(X[at]), -2.0), 2.0) * most / 2)
    )
    same(quantized, expected)


@pytest.mark.parametrize("axis", [0, 1])
def test_scales_along_an_axis_there_and_back(axis: int) -> None:
    scale = np.arange(1, X.shape[axis] + 1, dtype=np.float32)
    attrs = {"quant_axis": axis}

    (quantized,) = checked("quantize_linear", {"X": X, "Scale": scale}, attrs)
    (back,) = checked("dequantize_linear", {"X": quantized, "Scale": scale}, attrs)

    def integer(*at: int) -> int:
        return min(max(to_even(float(X[at] * (np.float32(127) / scale[at[axis]]))), -128), 127)

    same(quantized, filled(X.shape, np.float32, integer))
    same(back, filled(X.shape, np.float32, lambda *at: np.float32(integer(*at) * scale[at[axis]]) / 127))


def test_stored_integers_become_real_numbers_of_the_scale_dtype() -> None:
    stored = np.array([[-127, 0, 64]], np.int8)

    (real,) = checked("dequantize_linear", {"X": stored, "Scale": float32([2.54])}, {"quant_axis": -1})

    same(real, (stored.astype(np.float32) * np.float32(2.54)) / np.float32(127))


def test_the_older_dequantisations_multiply_in_paddles_order() -> None:
    integers, weight, activation = float32([[5.0, -7.0]]), float32([0.3, 0.7]), float32([1.9])

    (one,) = checked("fake_dequantize_max_abs", {"X": integers, "Scale": activation}, {"max_range": 127.0})
    (both,) = checked(
        "fake_channel_wise_dequantize_max_abs",
        {"X": integers, "Scales": [weight, activation]},
        {"quant_bits": [8, 8]},
    )

    same(one, integers * activation / np.float32(127))
    same(both, integers * weight * activation / np.float32(127 * 127))


def test_a_scale_of_another_length_is_refused() -> None:
    with pytest.raises(GraphError, match="slot Scale: expected 4 numbers, as many as axis 1"):
        checked("quantize_linear", {"X": X, "Scale": float32([1.0, 2.0])}, {"quant_axis": 1})
