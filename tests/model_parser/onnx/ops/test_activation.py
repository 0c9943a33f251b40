"""Activations against the reference implementation of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import (
    check_against_onnxruntime,
    check_against_reference,
    model_of,
    run,
)

X = np.array([[-4.0, -0.75, -0.1, 0.0], [0.2, 0.9, 2.5, 30.0]], np.float32)
IMAGES = np.linspace(-3, 3, 24, dtype=np.float32).reshape(2, 3, 2, 2)


@pytest.mark.parametrize(
    ("op", "attrs"),
    [
        ("Celu", {"alpha": 2.0}),
        ("Elu", {}),
        ("Elu", {"alpha": 0.5}),
        ("Gelu", {}),
        ("Gelu", {"approximate": "tanh"}),
        ("HardSigmoid", {}),
        ("HardSigmoid", {"alpha": 0.5, "beta": 0.25}),
        ("HardSwish", {}),
        ("LeakyRelu", {}),
        ("LeakyRelu", {"alpha": 0.3}),
        ("Mish", {}),
        ("Relu", {}),
        ("Selu", {}),
        ("Selu", {"alpha": 2.0, "gamma": 3.0}),
        ("Shrink", {}),
        ("Shrink", {"lambd": 0.8, "bias": 0.3}),
        ("Sigmoid", {}),
        ("Softplus", {}),
        ("Softsign", {}),
        ("Tanh", {}),
        ("ThresholdedRelu", {}),
        ("ThresholdedRelu", {"alpha": 0.5}),
    ],
)
def test_activations_equal_the_reference(op: str, attrs: dict[str, Any]) -> None:
    check_against_reference(op, [X], attrs)


def test_swish_equals_the_reference() -> None:
    check_against_reference("Swish", [X], {"alpha": 1.5}, opset=24)


def test_an_unknown_approximation_of_gelu_is_refused() -> None:
    with pytest.raises(ModelParseError, match="approximate: expected none or tanh, got 'fast'"):
        run(model_of("Gelu", [X], {"approximate": "fast"}), {"x0": X})


@pytest.mark.parametrize("shape", [(), (1,), (3, 1, 1), (1, 3, 1, 1), (2,), (3, 2, 2), (2, 3, 2, 2)])
def test_prelu_with_any_shape_of_slopes(shape: tuple[int, ...]) -> None:
    slope = np.linspace(0.1, 0.9, int(np.prod(shape)), dtype=np.float32).reshape(shape)

    check_against_reference("PRelu", [IMAGES, slope], constants=[1])


def test_prelu_of_integers() -> None:
    check_against_reference("PRelu", [np.array([[-2, 3], [4, -5]]), np.array([2, 3])])


def test_swiglu_is_swish_times_the_second_input() -> None:
    model = model_of("Mul", [X, X])
    model.graph.node[0].op_type = "SwiGLU"

    output = run(model, {"x0": X, "x1": X + 1})["y0"]

    np.testing.assert_allclose(output, X / (1 + np.exp(-X)) * (X + 1), atol=1e-5)


@pytest.mark.parametrize(
    ("source", "slope"),
    [
        ((), (1, 4)),
        ((4,), (1, 1)),
        ((1, 1), (1, 2)),
        ((2, 3, 2), (3, 1)),
        ((3,), (1, 1, 1)),
        ((2, 1, 3), (4, 1)),
    ],
)
def test_prelu_broadcasts_in_both_directions(source: tuple[int, ...], slope: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    x, alpha = (np.asarray(rng.standard_normal(shape), np.float32) for shape in (source, slope))

    check_against_onnxruntime(model_of("PRelu", [x, alpha], opset=16, constants=[1]), {"x0": x})
