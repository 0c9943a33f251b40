"""Activations of the SDK against their definitions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.bridges.arrays import assert_close, floats, integers
from tests.bridges.sim_npu.sdk.program_run import refusal, run

CASES: list[tuple[str, dict[str, Any], Callable[[float], float]]] = [
    ("RELU", {}, lambda x: x if x > 0 else 0),
    ("CLIP", {"low": -0.5, "high": 1.0}, lambda x: min(max(x, -0.5), 1.0)),
    ("LEAKY_RELU", {"alpha": 0.1}, lambda x: x if x > 0 else 0.1 * x),
    ("LEAKY_RELU", {"alpha": -2.0}, lambda x: x if x > 0 else -2 * x),
    ("SIGMOID", {}, lambda x: 1 / (1 + math.exp(-x))),
    ("TANH", {}, math.tanh),
    ("HARD_SIGMOID", {"slope": 0.25, "offset": 0.4}, lambda x: min(max(0.25 * x + 0.4, 0), 1)),
    ("HARD_SWISH", {}, lambda x: x * min(max(x + 3, 0), 6) / 6),
    ("GELU", {}, lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2),
    (
        "GELU",
        {"tanh": True},
        lambda x: x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2,
    ),
]


@pytest.mark.parametrize(("kind", "attributes", "reference"), CASES)
def test_each_element_follows_the_definition(
    kind: str, attributes: dict[str, Any], reference: Callable[[float], float]
) -> None:
    x = 3 * floats(2, 3, 7)
    x.flat[0] = 0
    expected = np.array([reference(float(value)) for value in x.flat], np.float32).reshape(x.shape)

    (result,) = run(kind, x, **attributes)

    assert_close(result, expected.astype(np.float32), 1e-6)


@pytest.mark.parametrize("kind", ["RELU", "SIGMOID", "TANH", "HARD_SWISH", "GELU"])
def test_int32_is_an_error(kind: str) -> None:
    assert refusal(kind, integers(3)) == f"NPU-105 INVALID_DTYPE: {kind}: int32[3] (supported: float32)"


def test_large_arguments_give_the_limits() -> None:
    x = np.array([-1e4, 1e4], np.float32)

    assert run("SIGMOID", x)[0].tolist() == [0, 1]
    assert run("GELU", x)[0].tolist() == [0, 1e4]


def test_bounds_in_the_wrong_order_are_an_error() -> None:
    assert refusal("CLIP", floats(3), low=2.0, high=1.0) == (
        "NPU-103 INVALID_ATTRIBUTE: CLIP: low must not be above high, got 2.0 and 1.0"
    )


def test_alpha_above_one_is_an_error() -> None:
    assert refusal("LEAKY_RELU", floats(3), alpha=1.5) == (
        "NPU-103 INVALID_ATTRIBUTE: LEAKY_RELU: alpha 1.5 (supported: at most 1)"
    )


@pytest.mark.parametrize(
    ("kind", "attributes", "sentence"),
    [
        ("CLIP", {"low": 0.0}, "CLIP needs attribute high"),
        ("CLIP", {"low": "0", "high": 1.0}, "CLIP: low must be a number, got '0'"),
        ("HARD_SIGMOID", {"slope": [1], "offset": 0.5}, "HARD_SIGMOID: slope must be a number, got [1]"),
        ("GELU", {"tanh": 1}, "GELU: tanh must be true or false, got 1"),
        ("RELU", {"limit": 6}, "RELU has no attribute limit"),
    ],
)
def test_wrong_attributes_are_errors(kind: str, attributes: dict[str, Any], sentence: str) -> None:
    assert refusal(kind, floats(3), **attributes) == f"NPU-103 INVALID_ATTRIBUTE: {sentence}"
