"""Activations equal their definitions; the table's rows are compared with torch in the suite."""

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


def test_gelu() -> None:
    exact = X * 0.5 * (1 + np.vectorize(math.erf)(X / math.sqrt(2)))
    np.testing.assert_allclose(one_op("F.gelu", [X], "approximate=none")[0], exact, rtol=1e-4, atol=1e-6)
    inner = math.sqrt(2 / math.pi) * (X + 0.044715 * X**3)
    by_tanh = X * 0.5 * (1 + np.tanh(inner))
    np.testing.assert_allclose(one_op("F.gelu", [X], "approximate=tanh")[0], by_tanh, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("size", [1, 4])
def test_prelu(size: int) -> None:
    slope = np.linspace(0.1, 0.4, size).astype(np.float32)
    expected = np.where(X > 0, X, X * slope.reshape(1, -1, 1))
    (got,) = one_op("nn.PReLU", [X], f"num_parameters={size}", {"weight": slope})
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    np.testing.assert_allclose(one_op("F.prelu", [X, slope])[0], expected, rtol=1e-6)


def test_softplus_is_linear_above_its_threshold() -> None:
    expected = np.where(X * 2 > 1, X, np.log1p(np.exp(X * 2)) / 2)
    np.testing.assert_allclose(
        one_op("nn.Softplus", [X], "beta=2.0 threshold=1.0")[0], expected, rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_softmax(dim: int) -> None:
    shares = np.exp(X) / np.exp(X).sum(dim, keepdims=True)
    np.testing.assert_allclose(one_op("F.softmax", [X], f"dim={dim}")[0], shares, rtol=1e-5, atol=1e-6)
    (got,) = one_op("nn.LogSoftmax", [X], f"dim={dim}")
    np.testing.assert_allclose(got, np.log(shares), rtol=1e-5, atol=1e-5)


def test_glu() -> None:
    expected = X[:, :2] / (1 + np.exp(-X[:, 2:]))
    np.testing.assert_allclose(one_op("F.glu", [X], "dim=1")[0], expected, rtol=1e-5, atol=1e-6)


def test_limits() -> None:
    np.testing.assert_array_equal(one_op("F.hardtanh", [X], "min_val=-2 max_val=1")[0], np.clip(X, -2, 1))
    np.testing.assert_array_equal(one_op("nn.Hardtanh", [X])[0], np.clip(X, -1, 1))


def test_nothing_to_do() -> None:
    for op in ("nn.Identity", "nn.Dropout", "F.dropout", "Tensor.contiguous"):
        np.testing.assert_array_equal(one_op(op, [X])[0], X)
