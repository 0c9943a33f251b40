"""Activations equal their definitions; the suite compares the rows of the table with torch."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.pnnx.models import noise, one_op

X = noise(2, 4, 3) * 3


def test_celu_with_another_alpha() -> None:
    expected = np.maximum(X, 0) + np.minimum(0, 0.5 * np.expm1(X / 0.5))
    np.testing.assert_allclose(one_op("nn.CELU", [X], "alpha=0.5")[0], expected, rtol=1e-5, atol=1e-6)
    with pytest.raises(ModelParseError, match=r"parameter alpha: expected a number that is not 0"):
        one_op("nn.CELU", [X], "alpha=0.0")


def test_gelu_exact_and_by_tanh() -> None:
    exact = X * 0.5 * (1 + np.vectorize(math.erf)(X / math.sqrt(2)))
    np.testing.assert_allclose(one_op("F.gelu", [X], "approximate=none")[0], exact, rtol=1e-4, atol=1e-6)
    inner = math.sqrt(2 / math.pi) * (X + 0.044715 * X**3)
    approximation = X * 0.5 * (1 + np.tanh(inner))
    np.testing.assert_allclose(
        one_op("F.gelu", [X], "approximate=tanh")[0], approximation, rtol=1e-4, atol=1e-6
    )


@pytest.mark.parametrize("size", [1, 4])
def test_prelu_with_one_slope_or_one_per_channel(size: int) -> None:
    slope = np.linspace(0.1, 0.4, size).astype(np.float32)
    expected = np.where(X > 0, X, X * slope.reshape(1, -1, 1))
    (output,) = one_op("nn.PReLU", [X], f"num_parameters={size}", {"weight": slope})
    np.testing.assert_allclose(output, expected, rtol=1e-6)
    np.testing.assert_allclose(one_op("F.prelu", [X, slope])[0], expected, rtol=1e-6)


def test_softplus_is_linear_above_its_threshold() -> None:
    expected = np.where(X * 2 > 1, X, np.log1p(np.exp(X * 2)) / 2)
    np.testing.assert_allclose(
        one_op("nn.Softplus", [X], "beta=2.0 threshold=1.0")[0], expected, rtol=1e-5, atol=1e-6
    )


def test_glu_is_the_first_half_gated_by_the_second() -> None:
    expected = X[:, :2] / (1 + np.exp(-X[:, 2:]))
    np.testing.assert_allclose(one_op("F.glu", [X], "dim=1")[0], expected, rtol=1e-5, atol=1e-6)


def test_hardtanh_with_and_without_limits() -> None:
    np.testing.assert_array_equal(one_op("F.hardtanh", [X], "min_val=-2 max_val=1")[0], np.clip(X, -2, 1))
    np.testing.assert_array_equal(one_op("nn.Hardtanh", [X])[0], np.clip(X, -1, 1))
