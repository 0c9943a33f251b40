"""Normalisations equal their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.pnnx.models import noise, one_op

X = noise(2, 4, 5) * 2 + 1
SCALE, BIAS = noise(4, seed=1), noise(4, seed=2)
STATISTICS = {"running_mean": noise(4, seed=3), "running_var": np.abs(noise(4, seed=4)) + 0.5}


@pytest.mark.parametrize("op", ["nn.BatchNorm1d", "nn.InstanceNorm1d"])
def test_stored_statistics(op: str) -> None:
    mean, variance = (array.reshape(1, 4, 1) for array in STATISTICS.values())
    expected = (X - mean) / np.sqrt(variance + 1e-3)
    (got,) = one_op(op, [X], "eps=0.001 affine=False", STATISTICS)
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)
    (got,) = one_op(op, [X], "eps=0.001", {**STATISTICS, "weight": SCALE, "bias": BIAS})
    affine = expected * SCALE.reshape(1, 4, 1) + BIAS.reshape(1, 4, 1)
    np.testing.assert_allclose(got, affine, rtol=1e-4, atol=1e-5)


def test_own_statistics() -> None:
    expected = (X - X.mean(2, keepdims=True)) / np.sqrt(X.var(2, keepdims=True) + 1e-5)
    (got,) = one_op("nn.InstanceNorm1d", [X], "affine=False eps=1.000000e-5")
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("count", [1, 2])
def test_layer_norm(count: int) -> None:
    shape = X.shape[-count:]
    axes = tuple(range(3 - count, 3))
    scale, bias = noise(*shape, seed=5), noise(*shape, seed=6)
    plain = (X - X.mean(axes, keepdims=True)) / np.sqrt(X.var(axes, keepdims=True) + 1e-5)
    params = f"normalized_shape=({','.join(map(str, shape))}) eps=1.000000e-5"
    (got,) = one_op("nn.LayerNorm", [X], params, {"weight": scale, "bias": bias})
    np.testing.assert_allclose(got, plain * scale + bias, rtol=1e-4, atol=1e-5)
    (got,) = one_op("F.layer_norm", [X, scale, bias], params, names=["input", "weight", "bias"])
    np.testing.assert_allclose(got, plain * scale + bias, rtol=1e-4, atol=1e-5)
    (got,) = one_op("F.layer_norm", [X], f"{params} weight=None bias=None")
    np.testing.assert_allclose(got, plain, rtol=1e-4, atol=1e-5)


def test_rms_norm() -> None:
    weight = noise(5, seed=7)
    expected = X / np.sqrt((X * X).mean(-1, keepdims=True) + 1e-6) * weight
    (got,) = one_op("nn.RMSNorm", [X], "normalized_shape=(5) eps=1.000000e-6", {"weight": weight})
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


def test_response_of_an_even_size_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"parameter size: expected an odd number, got 4"):
        one_op("nn.LocalResponseNorm", [noise(1, 4, 3, 3)], "size=4")


def test_lengths_count_as_eps_at_least() -> None:
    x = np.array([[3.0, 4.0], [0.0, 0.0]], np.float32)
    (got,) = one_op("F.normalize", [x], "p=2.0 dim=1 eps=1.000000e-12")
    np.testing.assert_allclose(got, [[0.6, 0.8], [0.0, 0.0]], rtol=1e-6)
