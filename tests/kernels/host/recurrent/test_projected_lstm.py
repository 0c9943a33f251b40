"""projected_lstm: one gate of one sequence at a time, after the formulas of TensorFlow Lite."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.host.checked import checked
from tests.kernels.host.onnx_reference import near, noise

STEPS, BATCH, SIZE, HIDDEN, PROJECTED = 4, 3, 2, 5, 3
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "tanh": math.tanh,
    "identity": lambda v: v,
    "relu": lambda v: max(v, 0.0),
    "relu6": lambda v: min(max(v, 0.0), 6.0),
    "relu_n1_to_1": lambda v: min(max(v, -1.0), 1.0),
}


def given(*slots: str) -> dict[str, Array]:
    width = PROJECTED if "Projection" in slots else HIDDEN
    arrays = {
        "X": noise(STEPS, BATCH, SIZE),
        "W": noise(4 * HIDDEN, SIZE, seed=1),
        "R": noise(4 * HIDDEN, width, seed=2) / 2,
        "B": noise(4 * HIDDEN, seed=3),
        "P": noise(3 * HIDDEN, seed=4),
        "Gain": noise(4 * HIDDEN, seed=5),
        "Projection": noise(PROJECTED, HIDDEN, seed=6),
        "ProjectionBias": noise(PROJECTED, seed=7),
    }
    return {slot: arrays[slot] for slot in ("X", "W", "R", *slots)}


def expected(arrays: dict[str, Array], attrs: dict[str, Any]) -> Array:
    width = arrays["R"].shape[1]
    out = np.zeros((STEPS, BATCH, width), np.float32)
    steps = range(STEPS)[::-1] if attrs.get("is_reverse") else range(STEPS)
    for row in range(BATCH):
        hidden, memory = np.zeros(width), np.zeros(HIDDEN)
        for at in steps:
            hidden, memory = step(arrays, attrs, arrays["X"][at, row].astype(float), hidden, memory)
            out[at, row] = hidden
    return out


def step(
    arrays: dict[str, Array], attrs: dict[str, Any], x: Array, hidden: Array, memory: Array
) -> tuple[Array, Array]:
    function = FUNCTIONS[attrs.get("activation", "tanh")]

    def gate(number: int, cell: Array | None) -> list[float]:
        rows = range(number * HIDDEN, (number + 1) * HIDDEN)
        sums = [float(arrays["W"][n] @ x + arrays["R"][n] @ hidden) for n in rows]
        if cell is not None and "P" in arrays:
            sums = [
                total + float(arrays["P"][n] * cell[n % HIDDEN]) for total, n in zip(sums, rows, strict=True)
            ]
        if "Gain" in arrays:
            mean = sum(sums) / HIDDEN
            deviation = math.sqrt(sum((total - mean) ** 2 for total in sums) / HIDDEN + 1e-8)
            sums = [
                (total - mean) / deviation * arrays["Gain"][n] for total, n in zip(sums, rows, strict=True)
            ]
        return [
            total + (arrays["B"][n] if "B" in arrays else 0.0) for total, n in zip(sums, rows, strict=True)
        ]

    def sigmoid(values: list[float]) -> Array:
        return np.array([1 / (1 + math.exp(-value)) for value in values])

    memory_gate = np.array([function(value) for value in gate(3, None)])
    new = sigmoid(gate(2, memory)) * memory + sigmoid(gate(0, memory)) * memory_gate
    if attrs.get("cell_clip"):
        new = new.clip(-attrs["cell_clip"], attrs["cell_clip"])
    result = sigmoid(gate(1, new)) * np.array([function(value) for value in new])
    if "Projection" in arrays:
        result = arrays["Projection"] @ result + arrays.get("ProjectionBias", 0.0)
        if attrs.get("projection_clip"):
            result = result.clip(-attrs["projection_clip"], attrs["projection_clip"])
    return result, new


def check(arrays: dict[str, Array], attrs: dict[str, Any]) -> None:
    near(checked("projected_lstm", arrays, attrs), [expected(arrays, attrs)], 1e-5)


@pytest.mark.parametrize("is_reverse", [False, True])
def test_all_inputs_and_both_directions(is_reverse: bool) -> None:
    arrays = given("B", "P", "Gain", "Projection", "ProjectionBias")
    check(arrays, {"is_reverse": is_reverse, "cell_clip": 0.4, "projection_clip": 0.5})


@pytest.mark.parametrize("slots", [(), ("B",), ("P",), ("Gain",), ("Projection",)])
def test_optional_inputs_may_be_missing(slots: tuple[str, ...]) -> None:
    check(given(*slots), {})


@pytest.mark.parametrize("activation", FUNCTIONS)
def test_activations(activation: str) -> None:
    check(given("B", "Projection"), {"activation": activation})
