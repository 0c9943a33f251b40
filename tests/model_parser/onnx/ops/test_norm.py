"""Normalisations and Softmax."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.onnx.node_models import (
    check_against_onnxruntime,
    check_against_reference,
    check_equal,
    model_of,
    run,
)

ROWS = np.random.default_rng(3).normal(size=(2, 3, 4)).astype(np.float32)


def array(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def flattened_softmax(x: Array, axis: int) -> Array:
    rows = x.reshape(int(np.prod(x.shape[:axis])), -1)
    powers = np.exp(rows)
    result: Array = (powers / powers.sum(1, keepdims=True)).reshape(x.shape)
    return result


X = array(2, 4, 3, 5)


def test_batch_norm_equals_the_reference() -> None:
    inputs = [X, array(4, seed=1), array(4, seed=2), array(4, seed=3), np.abs(array(4, seed=4))]

    check_against_reference("BatchNormalization", inputs, {"epsilon": 0.01}, constants=[1, 2, 3, 4])


def test_each_element_of_a_vector_is_a_sample_of_one_channel() -> None:
    inputs = [array(5), *(np.abs(array(1, seed=n)) for n in range(1, 5))]

    check_against_reference("BatchNormalization", inputs, {"epsilon": 0.01}, constants=[1, 2, 3, 4])


def test_batch_norm_in_training_mode_updates_the_statistics() -> None:
    inputs = [X, array(4, seed=1), array(4, seed=2), array(4, seed=3), np.abs(array(4, seed=4))]

    check_against_reference("BatchNormalization", inputs, {"training_mode": 1, "momentum": 0.7}, outputs=3)


def test_instance_norm_equals_the_reference() -> None:
    check_against_reference(
        "InstanceNormalization", [X, array(4, seed=1), array(4, seed=2)], constants=[1, 2]
    )


@pytest.mark.parametrize("fixed", [False, True])
def test_group_norm_per_channel_and_per_group(fixed: bool) -> None:
    scale, bias = array(2, seed=1), array(2, seed=2)
    constants = [1, 2] if fixed else []
    old = model_of("GroupNormalization", [X, scale, bias], {"num_groups": 2}, opset=18, constants=constants)

    output = run(old, {"x0": X, "x1": scale, "x2": bias})["y0"]

    rows = X.reshape(2, 2, -1)
    mean, variance = rows.mean(-1, keepdims=True), rows.var(-1, keepdims=True)
    expected = (rows - mean) / np.sqrt(variance + 1e-5) * scale[:, None] + bias[:, None]
    np.testing.assert_allclose(output, expected.reshape(X.shape), atol=1e-5)
    new = model_of("GroupNormalization", [X, scale.repeat(2), bias.repeat(2)], {"num_groups": 2})
    again = run(new, {"x0": X, "x1": scale.repeat(2), "x2": bias.repeat(2)})["y0"]
    np.testing.assert_allclose(output, again, atol=1e-6)


@pytest.mark.parametrize("axis", [0, 1, 3, -2])
@pytest.mark.parametrize("outputs", [1, 3])
def test_layer_norm_equals_the_reference(axis: int, outputs: int) -> None:
    shape = X.shape[axis:]

    check_against_reference(
        "LayerNormalization",
        [X, array(*shape, seed=1), array(*shape, seed=2)],
        {"axis": axis},
        outputs=outputs,
        constants=[1, 2],
    )


def test_layer_norm_with_a_broadcast_scale() -> None:
    check_against_reference("LayerNormalization", [X, array(5), array(5)], {"axis": 2}, constants=[1, 2])


def test_rms_norm_equals_the_reference() -> None:
    check_against_reference("RMSNormalization", [X, array(5)], {"axis": -1}, opset=23)


@pytest.mark.parametrize("p", [1, 2])
def test_lp_normalization_keeps_zeros(p: int) -> None:
    x = X.copy()
    x[0, 0] = 0

    output = run(model_of("LpNormalization", [x], {"p": p, "axis": 1}), {"x0": x})["y0"]

    np.testing.assert_allclose(output, x / np.linalg.norm(x, p, axis=1, keepdims=True), atol=1e-6)


def test_mean_variance_normalization_by_its_formula() -> None:
    output = run(model_of("MeanVarianceNormalization", [X]), {"x0": X})["y0"]

    mean, deviation = X.mean((0, 2, 3), keepdims=True), X.std((0, 2, 3), keepdims=True)
    np.testing.assert_allclose(output, (X - mean) / (deviation + 1e-9), atol=1e-5)


def test_lrn_by_its_formula() -> None:
    attrs = {"size": 3, "alpha": 0.3, "beta": 0.6, "bias": 2.0}

    output = run(model_of("LRN", [X], attrs), {"x0": X})["y0"]

    squares = np.pad(X**2, ((0, 0), (1, 1), (0, 0), (0, 0)))
    totals = squares[:, :-2] + squares[:, 1:-1] + squares[:, 2:]
    np.testing.assert_allclose(output, X / (2 + 0.1 * totals) ** 0.6, rtol=1e-5)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax", "Hardmax"])
def test_softmax_along_one_axis(op: str, axis: int) -> None:
    check_against_reference(op, [ROWS], {"axis": axis})


@pytest.mark.parametrize("symbolic", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2])
def test_softmax_of_opset_11_spans_all_axes_from_one_on(axis: int, symbolic: bool) -> None:
    outputs = run(model_of("Softmax", [ROWS], {"axis": axis}, opset=11, symbolic=symbolic), {"x0": ROWS})

    check_equal([outputs["y0"]], [flattened_softmax(ROWS, axis % 3)], 1e-6)


def test_hardmax_takes_the_first_of_equal_maxima() -> None:
    check_against_reference("Hardmax", [np.array([[3.0, 3.0, 1.0], [0.0, 2.0, 2.0]], np.float32)])


@pytest.mark.parametrize("constants", [(), (1, 2)])
def test_group_norm_of_an_unknown_number_of_channels(constants: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    x, scale, bias = (rng.standard_normal(shape).astype(np.float32) for shape in ((2, 6, 3, 4), (3,), (3,)))
    model = model_of(
        "GroupNormalization",
        [x, scale, bias],
        {"num_groups": 3},
        opset=18,
        constants=constants,
        symbolic=True,
    )
    weights = {} if constants else {"x1": scale, "x2": bias}

    check_against_onnxruntime(model, {"x0": x, **weights}, {"x0": x[:, :3], **weights})


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4), (2, 3, 4, 2)])
def test_mean_variance_normalization_with_default_axes(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)

    check_against_onnxruntime(model_of("MeanVarianceNormalization", [x], opset=13), {"x0": x})


@pytest.mark.parametrize("axis", [-1, -2, 1])
def test_layer_norm_of_an_unknown_rank(axis: int) -> None:
    text = f"""<ir_version: 9, opset_import: ["" : 17]>
    agraph (float[2, 3, 4] x, int64[n] shape, float[k] scale, float[k] bias)
      => (float[] y, float[] m, float[] d) {{
      z = Reshape (x, shape)
      y, m, d = LayerNormalization <axis = {axis}> (z, scale, bias)
    }}"""
    x, scale, bias = (
        np.random.default_rng(n).standard_normal(s).astype(np.float32)
        for n, s in enumerate([(2, 3, 4), (4,), (4,)])
    )

    check_against_onnxruntime(text, {"x": x, "scale": scale, "bias": bias, "shape": np.array([2, 3, 4])})


@pytest.mark.parametrize(
    "norm",
    [
        "y = RMSNormalization <axis = -2> (z, scale)",
        "y = RMSNormalization <axis = 1> (z, scale)",
        "y = SimplifiedLayerNormalization <axis = -1> (z, scale)",
        "y, d = SimplifiedLayerNormalization <axis = 1> (z, scale)",
        "y = com.microsoft.SkipLayerNormalization <epsilon = 1e-3> (z, z, scale, bias, scale)",
        "y = com.microsoft.SkipLayerNormalization (z, z, scale)",
        "y, a, b, d = com.microsoft.SkipSimplifiedLayerNormalization (z, z, scale, bias)",
    ],
)
def test_other_norms_of_an_unknown_rank(norm: str) -> None:
    extra = ", float[] d" if "d = " in norm else ""
    text = f"""<ir_version: 10, opset_import: ["" : 23, "com.microsoft" : 1]>
    agraph (float[2, 3, 4] x, int64[n] shape, float[k] scale, float[k] bias) => (float[] y{extra}) {{
      z = Reshape (x, shape)
      {norm.replace("a, b, d", '"", "", d')}
    }}"""
    x, scale, bias = (
        np.random.default_rng(n).standard_normal(s).astype(np.float32)
        for n, s in enumerate([(2, 3, 4), (4,), (4,)])
    )

    check_against_onnxruntime(text, {"x": x, "scale": scale, "bias": bias, "shape": np.array([2, 3, 4])})
