"""Scatter, ScatterElements, ScatterND and TensorScatter."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import matches_reference, model_of, run, same

X = np.arange(12, dtype=np.float32).reshape(3, 4)
REDUCTIONS = ["none", "add", "mul", "max", "min"]


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_elements(reduction: str, axis: int) -> None:
    index = np.array([[0, 1], [2, -1]])
    updates = np.array([[5.0, -6.0], [7.0, 2.0]], np.float32)

    matches_reference("ScatterElements", [X, index, updates], {"axis": axis, "reduction": reduction})


def test_elements_named_twice() -> None:
    inputs = [X, np.array([[1], [1], [1]]), np.array([[2.0], [3.0], [4.0]], np.float32)]

    matches_reference("ScatterElements", inputs, {"axis": 0, "reduction": "add"})


def test_scatter() -> None:
    index, updates = np.array([[2]]), np.array([[9.0]], np.float32)
    wanted = X.copy()
    wanted[2, 0] = 9

    found = run(model_of("Scatter", [X, index, updates], opset=10), {"x0": X, "x1": index, "x2": updates})

    same([found["y0"]], [wanted])


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("index", [[[0, 1], [2, 3]], [[1], [1]]])
def test_nd(index: list[list[int]], reduction: str) -> None:
    places = np.array(index)
    shape = (*places.shape[:-1], *X.shape[places.shape[-1] :])
    updates = np.linspace(-3, 8, int(np.prod(shape)), dtype=np.float32).reshape(shape)

    matches_reference("ScatterND", [X, places, updates], {"reduction": reduction})


def test_unknown_reduction() -> None:
    model = model_of("ScatterND", [X, np.array([[0]]), X[:1]], {"reduction": "mean"})

    with pytest.raises(
        ModelParseError, match="reduction: expected one of none, add, mul, max, min, got 'mean'"
    ):
        run(model, {})


@pytest.mark.parametrize("mode", ["linear", "circular"])
@pytest.mark.parametrize("axis", [-2, 1, 2])
def test_tensor_scatter(axis: int, mode: str) -> None:
    past = np.zeros((2, 4, 4), np.float32)
    update = np.arange(16, dtype=np.float32).reshape(2, 2, 4) + 1
    update = update if axis % 3 == 1 else update.swapaxes(1, 2)
    starts = np.array([1, 3 if mode == "circular" else 2])
    wanted = np.moveaxis(past.copy(), axis, 1)
    for sample, start in enumerate(starts):
        for n in range(2):
            wanted[sample, (start + n) % 4] = np.moveaxis(update, axis, 1)[sample, n]

    model = model_of("TensorScatter", [past, update, starts], {"axis": axis, "mode": mode}, opset=24)

    found = run(model, {"x0": past, "x1": update, "x2": starts})
    same([found["y0"]], [np.moveaxis(wanted, 1, axis)])
