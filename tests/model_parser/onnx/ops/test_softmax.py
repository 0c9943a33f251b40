"""Softmax, LogSoftmax and Hardmax of all opsets."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.onnx.node_models import matches_reference, model_of, run, same

X = np.random.default_rng(3).normal(size=(2, 3, 4)).astype(np.float32)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax", "Hardmax"])
def test_along_one_axis(op: str, axis: int) -> None:
    matches_reference(op, [X], {"axis": axis})


@pytest.mark.parametrize("symbolic", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2])
def test_over_all_axes_from_one_on(axis: int, symbolic: bool) -> None:
    found = run(model_of("Softmax", [X], {"axis": axis}, opset=11, symbolic=symbolic), {"x0": X})

    same([found["y0"]], [flattened_softmax(X, axis % 3)], 1e-6)


def flattened_softmax(x: Array, axis: int) -> Array:
    rows = x.reshape(int(np.prod(x.shape[:axis])), -1)
    powers = np.exp(rows)
    result: Array = (powers / powers.sum(1, keepdims=True)).reshape(x.shape)
    return result


def test_first_of_equal_maxima() -> None:
    matches_reference("Hardmax", [np.array([[3.0, 3.0, 1.0], [0.0, 2.0, 2.0]], np.float32)])
