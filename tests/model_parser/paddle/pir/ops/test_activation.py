"""PIR activations equal their formulas."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.paddle.pir.builder import check_equal, noise, run_op

X = 2 * noise(3, 5)


def sigmoid(x: Array) -> Array:
    """The logistic function."""
    return 1 / (1 + np.exp(-x))


def softmax(x: Array) -> Array:
    """Softmax along the last axis."""
    e = np.exp(x - x.max(-1, keepdims=True))
    result: Array = e / e.sum(-1, keepdims=True)
    return result


def erf(x: Array) -> Array:
    """The error function."""
    return np.array([math.erf(item) for item in x.flat], np.float32).reshape(x.shape)


_CASES: dict[str, tuple[dict[str, object], Callable[[Array], Array]]] = {
    "celu": ({"alpha": 0.5}, lambda x: np.where(x > 0, x, 0.5 * np.expm1(x / 0.5))),
    "elu": ({"alpha": 0.5}, lambda x: np.where(x > 0, x, 0.5 * np.expm1(x))),
    "gelu": ({"approximate": False}, lambda x: x * (1 + erf(x / math.sqrt(2))) / 2),
    "hardshrink": ({"threshold": 0.7}, lambda x: np.where(np.abs(x) > 0.7, x, 0)),
    "hardsigmoid": ({"slope": 0.3, "offset": 0.4}, lambda x: (0.3 * x + 0.4).clip(0, 1)),
    "hardswish": ({}, lambda x: x * (x + 3).clip(0, 6) / 6),
    "hardtanh": ({"t_min": -0.5, "t_max": 0.7}, lambda x: x.clip(-0.5, 0.7)),
    "leaky_relu": ({"negative_slope": 0.1}, lambda x: np.where(x > 0, x, 0.1 * x)),
    "log_softmax": ({"axis": -1}, lambda x: np.log(softmax(x))),
    "logsigmoid": ({}, lambda x: np.log(sigmoid(x))),
    "mish": ({"lambda": 20.0}, lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    "relu": ({}, lambda x: np.maximum(x, 0)),
    "relu_": ({}, lambda x: np.maximum(x, 0)),
    "relu6": ({}, lambda x: x.clip(0, 6)),
    "selu": ({"scale": 1.1, "alpha": 1.5}, lambda x: 1.1 * np.where(x > 0, x, 1.5 * np.expm1(x))),
    "sigmoid": ({}, sigmoid),
    "silu": ({}, lambda x: x * sigmoid(x)),
    "softmax": ({"axis": -1}, softmax),
    "softplus": ({"beta": 2.0, "threshold": 20.0}, lambda x: np.log1p(np.exp(2 * x)) / 2),
    "softshrink": ({"threshold": 0.3}, lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.3, 0)),
    "softsign": ({}, lambda x: x / (1 + np.abs(x))),
    "swish": ({}, lambda x: x * sigmoid(x)),
    "tanh": ({}, np.tanh),
    "tanh_shrink": ({}, lambda x: x - np.tanh(x)),
}


@pytest.mark.parametrize("name", _CASES)
def test_activations(name: str) -> None:
    attrs, function = _CASES[name]
    check_equal(run_op(name, [X], attrs), function(X).astype(np.float32))


def test_prelu_has_a_slope_per_channel() -> None:
    x, alpha = noise(1, 2, 3, 3), np.array([0.1, 0.2], np.float32)
    output = run_op("prelu", [x, alpha], {"mode": "channel", "data_format": "NCHW"})
    check_equal(output, np.where(x > 0, x, alpha[:, None, None] * x))
