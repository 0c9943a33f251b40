"""Reductions and searches against ONNX's reference."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import matches_reference, model_of, run, same

OPS = ["L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"]
X = np.random.default_rng(4).uniform(0.5, 2, (2, 3, 4)).astype(np.float32)


@pytest.mark.parametrize("keepdims", [0, 1])
@pytest.mark.parametrize("op", OPS)
def test_axes_as_input(op: str, keepdims: int) -> None:
    matches_reference(f"Reduce{op}", [X, np.array([0, -1])], {"keepdims": keepdims}, constants=[1])


@pytest.mark.parametrize("op", OPS)
def test_axes_as_attribute(op: str) -> None:
    matches_reference(f"Reduce{op}", [X], {"axes": [1]}, opset=11)


@pytest.mark.parametrize("noop", [0, 1])
@pytest.mark.parametrize("op", ["Sum", "SumSquare", "LogSumExp", "Max"])
def test_empty_axes(op: str, noop: int) -> None:
    axes = np.array([], np.int64)
    model = model_of(f"Reduce{op}", [X, axes], {"noop_with_empty_axes": noop, "keepdims": 0}, constants=[1])
    over_all = {
        "Sum": X.sum(),
        "SumSquare": (X * X).sum(),
        "LogSumExp": np.log(np.exp(X).sum()),
        "Max": X.max(),
    }
    each = X * X if op == "SumSquare" else X

    same([run(model, {"x0": X})["y0"]], [each if noop else np.array(over_all[op])], 1e-4)


def test_no_axes() -> None:
    matches_reference("ReduceMean", [X])


@pytest.mark.parametrize("op", ["Max", "Min", "Sum", "Prod", "LogSumExp"])
def test_nothing_to_reduce(op: str) -> None:
    x = np.zeros((2, 0, 3), np.float32)
    wanted = {"Max": -np.inf, "Min": np.inf, "Sum": 0.0, "Prod": 1.0, "LogSumExp": -np.inf}

    found = run(model_of(f"Reduce{op}", [x, np.array([1])], constants=[1]), {"x0": x})

    same([found["y0"]], [np.full((2, 1, 3), wanted[op], np.float32)])


def test_logsumexp_does_not_overflow() -> None:
    matches_reference("ReduceLogSumExp", [np.array([[1000.0, 1000.0]], np.float64)])


def test_unknown_axes_that_may_be_none() -> None:
    axes = np.array([1])
    model = model_of("ReduceSum", [X, axes], {"noop_with_empty_axes": 1}, symbolic=True)

    with pytest.raises(
        ModelParseError, match=r"node \(ReduceSum\): axes: with noop_with_empty_axes, expected"
    ):
        run(model, {"x0": X, "x1": axes})


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("keepdims", [0, 1])
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
def test_searches(op: str, axis: int, keepdims: int, last: int) -> None:
    x = np.array([[2, 1, 2, 1], [2, 3, 3, 0]], np.int32)

    matches_reference(op, [x], {"axis": axis, "keepdims": keepdims, "select_last_index": last})
