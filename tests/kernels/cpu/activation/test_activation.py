"""Activations against their definitions in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind_unprepared, floats, run_compiled

ACTIVATIONS: dict[str, tuple[dict[str, Any], Any]] = {
    "relu": ({}, lambda v: np.maximum(v, 0)),
    "relu6": ({"threshold": 2.0}, lambda v: np.clip(v, 0, 2)),
    "relu_clipped": ({"Relu_clipped_coef": 1.5}, lambda v: np.clip(v, 0, 1.5)),
    "hard_sigmoid": ({"slope": 0.3, "offset": 0.4}, lambda v: np.clip(0.3 * v + 0.4, 0, 1)),
    "hard_swish": ({}, lambda v: v * np.clip(v + 3, 0, 6) / 6),
    "sigmoid": ({}, lambda v: 1 / (1 + np.exp(-v))),
    "swish": ({"beta": 2.0}, lambda v: v / (1 + np.exp(-2 * v))),
    "tanh": ({}, np.tanh),
    "gelu": (
        {"approximate": True},
        lambda v: v / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (v + 0.044715 * v**3))),
    ),
    "leaky_relu": ({"alpha": 0.3}, lambda v: np.where(v < 0, 0.3 * v, v)),
    "elu": ({"alpha": 0.7}, lambda v: np.where(v < 0, 0.7 * np.expm1(np.minimum(v, 0)), v)),
}


@pytest.mark.parametrize("op", ACTIVATIONS)
@pytest.mark.parametrize("shape", [(), (0,), (7,), (2, 3, 11)])
def test_activations_follow_their_definitions(op: str, shape: tuple[int, ...]) -> None:
    attrs, function = ACTIVATIONS[op]
    x = np.asarray(4 * floats(1, *shape), np.float32)
    (result,) = run_compiled(op, {"X": x}, attrs)
    assert result.shape == shape
    np.testing.assert_allclose(result, function(x.astype(np.float64)), rtol=1e-5, atol=1e-6)


def test_inputs_need_not_be_contiguous() -> None:
    x = floats(1, 6, 8)[:, ::2]
    np.testing.assert_array_equal(run_compiled("relu", {"X": x}, {})[0], np.maximum(x, 0))


@pytest.mark.parametrize("scale", [1e-7, 1e-5, 1e-2, 0.49, 0.51, 3.0, 100.0])
def test_elu_of_small_numbers_keeps_its_digits(scale: float) -> None:
    x = -np.abs(floats(1, 4000)) * np.float32(scale)
    (y,) = run_compiled("elu", {"X": x}, {"alpha": 1.5})
    np.testing.assert_allclose(y, 1.5 * np.expm1(x.astype(np.float64)), rtol=1e-6)


@pytest.mark.parametrize("op", ["gelu", "hard_swish"])
def test_large_numbers_do_not_overflow(op: str) -> None:
    x = np.array([3e38, -3e38, 3.4e38, 1e30, -1e30] * 10, np.float32)
    (y,) = run_compiled(op, {"X": x}, {})
    np.testing.assert_allclose(y, np.where(x > 0, x, 0), rtol=1e-6)
    assert np.isfinite(bind_unprepared(op, {"X": x}, {})()).all()
