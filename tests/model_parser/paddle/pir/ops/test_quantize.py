"""PIR ops of Paddle's quantisation tools, as in programs translated from the classic format, equal numpy."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.paddle.pir.builder import PirBuilder, check_equal, like, noise, run_op

X = noise(3, 4, 5)
SCALE = np.array([1.5], np.float32)
STATE = np.array([1.0], np.float32)


def quantized(x: Array, scale: Array, round_type: int) -> Array:
    """The integers of 8 bits; halves to even, or away from zero from numbers up to the scale with type 1."""
    codes = x * (np.float32(127) / scale)
    kept = np.clip(codes, -127, 127)
    away: Array = np.trunc(kept + np.copysign(np.float32(0.5), kept))
    even: Array = np.clip(np.rint(codes), -128, 127)
    return away if round_type else even


def scale_of(name: str) -> Array:
    """The greatest magnitude of X, of each channel, or the one that is given."""
    if "moving" in name or "range" in name:
        return SCALE
    axes = (0, 2) if "channel" in name else None
    greatest: Array = np.abs(X).max(axes, keepdims=True)
    return greatest


@pytest.mark.parametrize("round_type", [0, 1])
@pytest.mark.parametrize(
    ("name", "operands"),
    [
        ("fake_channel_wise_quantize_abs_max", []),
        ("fake_channel_wise_quantize_dequantize_abs_max", []),
        ("fake_quantize_abs_max", []),
        ("fake_quantize_dequantize_abs_max", []),
        ("fake_quantize_dequantize_moving_average_abs_max", [SCALE, STATE, STATE]),
        ("fake_quantize_moving_average_abs_max", [SCALE, STATE, STATE]),
        ("fake_quantize_range_abs_max", [SCALE]),
    ],
)
def test_fake_quantisation(name: str, operands: list[Array], round_type: int) -> None:
    attrs: dict[str, object] = {"bit_length": 8, "round_type": round_type, "is_test": True}
    if "channel" in name:
        attrs["quant_axis"] = 1
    scale = scale_of(name)
    expected = quantized(X, scale, round_type)
    if "dequantize" in name:
        expected = expected * scale / np.float32(127)
    check_equal(run_op(name, [X, *operands], attrs), expected)


def test_an_observer_changes_nothing() -> None:
    check_equal(run_op("moving_average_abs_max_scale", [X, STATE, STATE], {"moving_rate": 0.9}), X)


def test_fake_dequantisation() -> None:
    codes = np.rint(X * 10)
    check_equal(run_op("fake_dequantize_max_abs", [codes, SCALE], {"max_range": 127.0}), codes * SCALE / 127)
    builder = PirBuilder()
    scales = np.array([1, 2, 3, 4], np.float32)
    operands = [builder.data("x", codes), builder.combine(builder.data("s", scales))]
    attrs = {"quant_bits": [8], "quant_axis": 1}
    out = builder.one("fake_channel_wise_dequantize_max_abs", *operands, attrs=attrs)
    expected = codes * scales[:, None] / np.float32(127)
    check_equal(builder.fetch(out).run(x=codes, s=scales)[0], expected)


def test_linear_quantisation_of_a_weight_that_is_stored_as_integers() -> None:
    """The program declares the weight as float32."""
    codes = np.random.default_rng(0).integers(-127, 128, (4, 6)).astype(np.int8)
    scales = np.array([1, 2, 3, 4, 5, 6], np.float32)
    builder = PirBuilder()
    x = builder.data("x", X[0].T.copy())
    weight = builder.parameter("w", codes.astype(np.float32))
    builder.weights["w"] = codes
    attrs = {"bit_length": 8, "round_type": 0, "is_test": True, "only_observer": False, "quant_axis": 1}
    zero = builder.parameter("z", np.zeros(6, np.float32))
    real = builder.one("dequantize_linear", weight, builder.parameter("s", scales), zero, attrs=attrs)
    attrs |= {"quant_axis": -1}
    operands = [builder.parameter("a", SCALE), builder.parameter("o", np.zeros(1, np.float32))]
    rounded = builder.one("quantize_linear", x, *operands, attrs=attrs)
    back = builder.one("dequantize_linear", rounded, *operands, attrs=attrs)
    product = builder.one("matmul", back, real, result=like(np.zeros((5, 6), np.float32)))
    x_real = quantized(X[0].T, SCALE, 0) * SCALE / 127
    expected = x_real @ (codes * scales / np.float32(127))
    found = builder.fetch(product).run(x=X[0].T.copy())[0]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
