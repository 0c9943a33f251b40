"""Normalisations and softmax equal their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model_parser.pnnx.models import noise, one_op

X = noise(2, 4, 5) * 2 + 1
SCALE, BIAS = noise(4, seed=1), noise(4, seed=2)
STATISTICS = {"running_mean": noise(4, seed=3), "running_var": np.abs(noise(4, seed=4)) + 0.5}


@pytest.mark.parametrize("op", ["nn.BatchNorm1d", "nn.InstanceNorm1d"])
def test_norms_with_stored_statistics(op: str) -> None:
    mean, variance = (array.reshape(1, 4, 1) for array in STATISTICS.values())
    expected = (X - mean) / np.sqrt(variance + 1e-3)
    (output,) = one_op(op, [X], "eps=0.001 affine=False", STATISTICS)
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-5)
    (output,) = one_op(op, [X], "eps=0.001", {**STATISTICS, "weight": SCALE, "bias": BIAS})
    affine = expected * SCALE.reshape(1, 4, 1) + BIAS.reshape(1, 4, 1)
    np.testing.assert_allclose(output, affine, rtol=1e-4, atol=1e-5)


def test_instance_norm_without_stored_statistics() -> None:
    expected = (X - X.mean(2, keepdims=True)) / np.sqrt(X.var(2, keepdims=True) + 1e-5)
    (output,) = one_op("nn.InstanceNorm1d", [X], "affine=False eps=1.000000e-5")
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("count", [1, 2])
def test_layer_norm_over_the_last_axes(count: int) -> None:
    shape = X.shape[-count:]
    axes = tuple(range(3 - count, 3))
    scale, bias = noise(*shape, seed=5), noise(*shape, seed=6)
    normalised = (X - X.mean(axes, keepdims=True)) / np.sqrt(X.var(axes, keepdims=True) + 1e-5)
    params = f"normalized_shape=({','.join(map(str, shape))}) eps=1.000000e-5"
    (output,) = one_op("nn.LayerNorm", [X], params, {"weight": scale, "bias": bias})
    np.testing.assert_allclose(output, normalised * scale + bias, rtol=1e-4, atol=1e-5)
    (output,) = one_op("F.layer_norm", [X, scale, bias], params, names=["input", "weight", "bias"])
    np.testing.assert_allclose(output, normalised * scale + bias, rtol=1e-4, atol=1e-5)
    (output,) = one_op("F.layer_norm", [X], f"{params} weight=None bias=None")
    np.testing.assert_allclose(output, normalised, rtol=1e-4, atol=1e-5)


def test_rms_norm_by_its_formula() -> None:
    weight = noise(5, seed=7)
    expected = X / np.sqrt((X * X).mean(-1, keepdims=True) + 1e-6) * weight
    (output,) = one_op("nn.RMSNorm", [X], "normalized_shape=(5) eps=1.000000e-6", {"weight": weight})
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("shape", [(1, 6, 4), (2, 6, 3, 3), (1, 6, 2, 3, 2)])
@pytest.mark.parametrize("size", [3, 4])
def test_local_response_norm_of_any_rank_and_size(shape: tuple[int, ...], size: int) -> None:
    x = noise(*shape)
    padded = np.pad(x * x, [(0, 0), (size // 2, (size - 1) // 2), *[(0, 0)] * (len(shape) - 2)])
    total = sum(padded[:, n : n + 6] for n in range(size))
    expected = x / (2.0 + 0.1 / size * total) ** 0.5
    (output,) = one_op("nn.LocalResponseNorm", [x], f"size={size} alpha=0.1 beta=0.5 k=2.0")
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-5)


def test_normalize_divides_by_at_least_eps() -> None:
    x = np.array([[3.0, 4.0], [0.0, 0.0]], np.float32)
    (output,) = one_op("F.normalize", [x], "p=2.0 dim=1 eps=1.000000e-12")
    np.testing.assert_allclose(output, [[0.6, 0.8], [0.0, 0.0]], rtol=1e-6)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_softmax_and_its_logarithm(dim: int) -> None:
    probabilities = np.exp(X) / np.exp(X).sum(dim, keepdims=True)
    np.testing.assert_allclose(one_op("F.softmax", [X], f"dim={dim}")[0], probabilities, rtol=1e-5, atol=1e-6)
    (output,) = one_op("nn.LogSoftmax", [X], f"dim={dim}")
    np.testing.assert_allclose(output, np.log(probabilities), rtol=1e-5, atol=1e-5)
