"""Normalisations."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import matches_reference, model_of, run


def _array(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


X = _array(2, 4, 3, 5)


def test_batch_norm() -> None:
    inputs = [X, _array(4, seed=1), _array(4, seed=2), _array(4, seed=3), np.abs(_array(4, seed=4))]

    matches_reference("BatchNormalization", inputs, {"epsilon": 0.01}, constants=[1, 2, 3, 4])


def test_batch_norm_in_training() -> None:
    inputs = [X, _array(4, seed=1), _array(4, seed=2), _array(4, seed=3), np.abs(_array(4, seed=4))]

    matches_reference("BatchNormalization", inputs, {"training_mode": 1, "momentum": 0.7}, outputs=3)


def test_instance_norm() -> None:
    matches_reference("InstanceNormalization", [X, _array(4, seed=1), _array(4, seed=2)], constants=[1, 2])


@pytest.mark.parametrize("fixed", [False, True])
def test_group_norm_per_channel_and_per_group(fixed: bool) -> None:
    scale, bias = _array(2, seed=1), _array(2, seed=2)
    constants = [1, 2] if fixed else []
    old = model_of("GroupNormalization", [X, scale, bias], {"num_groups": 2}, opset=18, constants=constants)

    found = run(old, {"x0": X, "x1": scale, "x2": bias})["y0"]

    rows = X.reshape(2, 2, -1)
    mean, variance = rows.mean(-1, keepdims=True), rows.var(-1, keepdims=True)
    wanted = (rows - mean) / np.sqrt(variance + 1e-5) * scale[:, None] + bias[:, None]
    np.testing.assert_allclose(found, wanted.reshape(X.shape), atol=1e-5)
    new = model_of("GroupNormalization", [X, scale.repeat(2), bias.repeat(2)], {"num_groups": 2})
    again = run(new, {"x0": X, "x1": scale.repeat(2), "x2": bias.repeat(2)})["y0"]
    np.testing.assert_allclose(found, again, atol=1e-6)


def test_group_norm_of_unknown_channels() -> None:
    inputs = [X, _array(2), _array(2)]
    model = model_of("GroupNormalization", inputs, {"num_groups": 2}, opset=18, symbolic=True)

    with pytest.raises(ModelParseError, match=r"the number of channels of 'x0' is not known"):
        run(model, {"x0": X, "x1": inputs[1], "x2": inputs[2]})


@pytest.mark.parametrize("axis", [0, 1, 3, -2])
@pytest.mark.parametrize("outputs", [1, 3])
def test_layer_norm(axis: int, outputs: int) -> None:
    shape = X.shape[axis:]

    matches_reference(
        "LayerNormalization",
        [X, _array(*shape, seed=1), _array(*shape, seed=2)],
        {"axis": axis},
        outputs=outputs,
        constants=[1, 2],
    )


def test_layer_norm_whose_scale_broadcasts() -> None:
    matches_reference("LayerNormalization", [X, _array(5), _array(5)], {"axis": 2}, constants=[1, 2])


def test_rms_norm() -> None:
    matches_reference("RMSNormalization", [X, _array(5)], {"axis": -1}, opset=23)


@pytest.mark.parametrize("p", [1, 2])
def test_lp_normalization(p: int) -> None:
    x = X.copy()
    x[0, 0] = 0

    found = run(model_of("LpNormalization", [x], {"p": p, "axis": 1}), {"x0": x})["y0"]

    np.testing.assert_allclose(found, x / np.linalg.norm(x, p, axis=1, keepdims=True), atol=1e-6)


def test_mean_variance_normalization() -> None:
    found = run(model_of("MeanVarianceNormalization", [X]), {"x0": X})["y0"]

    mean, deviation = X.mean((0, 2, 3), keepdims=True), X.std((0, 2, 3), keepdims=True)
    np.testing.assert_allclose(found, (X - mean) / (deviation + 1e-9), atol=1e-5)


def test_lrn() -> None:
    attrs = {"size": 3, "alpha": 0.3, "beta": 0.6, "bias": 2.0}

    found = run(model_of("LRN", [X], attrs), {"x0": X})["y0"]

    squares = np.pad(X**2, ((0, 0), (1, 1), (0, 0), (0, 0)))
    sums = squares[:, :-2] + squares[:, 1:-1] + squares[:, 2:]
    np.testing.assert_allclose(found, X / (2 + 0.1 * sums) ** 0.6, rtol=1e-5)
