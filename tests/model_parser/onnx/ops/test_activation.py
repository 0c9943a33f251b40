"""Activations with attributes against ONNX's reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import matches_reference, model_of, run

X = np.array([[-4.0, -0.75, -0.1, 0.0], [0.2, 0.9, 2.5, 30.0]], np.float32)


@pytest.mark.parametrize(
    ("op", "attrs"),
    [
        ("Celu", {"alpha": 2.0}),
        ("Gelu", {}),
        ("Gelu", {"approximate": "tanh"}),
        ("HardSigmoid", {}),
        ("HardSigmoid", {"alpha": 0.5, "beta": 0.25}),
        ("HardSwish", {}),
        ("Neg", {}),
        ("Selu", {}),
        ("Selu", {"alpha": 2.0, "gamma": 3.0}),
        ("Shrink", {}),
        ("Shrink", {"lambd": 0.8, "bias": 0.3}),
        ("Softplus", {}),
    ],
)
def test_attributes(op: str, attrs: dict[str, Any]) -> None:
    matches_reference(op, [X], attrs)


def test_swish() -> None:
    matches_reference("Swish", [X], {"alpha": 1.5}, opset=24)


def test_bitwise_not() -> None:
    matches_reference("BitwiseNot", [np.array([1, -3, 0], np.int16)])


def test_unknown_form_of_gelu() -> None:
    with pytest.raises(ModelParseError, match="approximate: expected none or tanh, got 'fast'"):
        run(model_of("Gelu", [X], {"approximate": "fast"}), {"x0": X})
