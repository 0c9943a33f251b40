"""Reductions, cumulative sums and products, and losses."""

from __future__ import annotations

import itertools

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

OPS = ["L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"]
X = np.random.default_rng(4).uniform(0.5, 2, (2, 3, 4)).astype(np.float32)
MATRIX = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)
LOGITS = np.random.default_rng(0).standard_normal((3, 5, 2)).astype(np.float32)
LABEL = np.array([[0, 4], [2, 2], [1, 3]])
WEIGHT = np.array([0.1, 0.5, 2.0, 0.3, 0.7], np.float32)


@pytest.mark.parametrize("keepdims", [0, 1])
@pytest.mark.parametrize("op", OPS)
def test_reductions_with_axes_as_input(op: str, keepdims: int) -> None:
    check_against_reference(f"Reduce{op}", [X, np.array([0, -1])], {"keepdims": keepdims}, constants=[1])


@pytest.mark.parametrize("op", OPS)
def test_reductions_with_axes_as_attribute(op: str) -> None:
    check_against_reference(f"Reduce{op}", [X], {"axes": [1]}, opset=11)


@pytest.mark.parametrize("noop", [0, 1])
@pytest.mark.parametrize("op", ["Sum", "SumSquare", "LogSumExp", "Max"])
def test_empty_axes_are_all_axes_or_none(op: str, noop: int) -> None:
    axes = np.array([], np.int64)
    model = model_of(f"Reduce{op}", [X, axes], {"noop_with_empty_axes": noop, "keepdims": 0}, constants=[1])
    totals = {
        "Sum": X.sum(),
        "SumSquare": (X * X).sum(),
        "LogSumExp": np.log(np.exp(X).sum()),
        "Max": X.max(),
    }
    elements = X * X if op == "SumSquare" else X

    check_equal([run(model, {"x0": X})["y0"]], [elements if noop else np.array(totals[op])], 1e-4)


def test_reduction_without_axes() -> None:
    check_against_reference("ReduceMean", [X])


@pytest.mark.parametrize("op", ["Max", "Min", "Sum", "Prod", "LogSumExp"])
def test_reductions_of_an_empty_axis(op: str) -> None:
    x = np.zeros((2, 0, 3), np.float32)
    expected = {"Max": -np.inf, "Min": np.inf, "Sum": 0.0, "Prod": 1.0, "LogSumExp": -np.inf}

    outputs = run(model_of(f"Reduce{op}", [x, np.array([1])], constants=[1]), {"x0": x})

    check_equal([outputs["y0"]], [np.full((2, 1, 3), expected[op], np.float32)])


def test_logsumexp_does_not_overflow() -> None:
    check_against_reference("ReduceLogSumExp", [np.array([[1000.0, 1000.0]], np.float64)])


@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
@pytest.mark.parametrize("axis", [0, -1])
def test_cumsum_equals_the_reference(axis: int, reverse: int, exclusive: int) -> None:
    attrs = {"exclusive": exclusive, "reverse": reverse}

    check_against_reference("CumSum", [MATRIX, np.array(axis)], attrs, constants=[1])


def test_exclusive_cumsum_of_one_element_is_zero() -> None:
    x = np.array([5.0], np.float32)

    outputs = run(model_of("CumSum", [x, np.array(0)], {"exclusive": 1}, constants=[1]), {"x0": x})

    check_equal([outputs["y0"]], [np.zeros(1, np.float32)])


@pytest.mark.parametrize(
    ("exclusive", "reverse", "expected"),
    [
        (0, 0, [[1, 2, 6], [4, 20, 120]]),
        (1, 0, [[1, 1, 2], [1, 4, 20]]),
        (0, 1, [[6, 6, 3], [120, 30, 6]]),
        (1, 1, [[6, 3, 1], [30, 6, 1]]),
    ],
)
@pytest.mark.parametrize("constants", [(), (1,)])
def test_cumprod_in_all_forms(
    exclusive: int, reverse: int, expected: Array, constants: tuple[int, ...]
) -> None:
    attrs = {"exclusive": exclusive, "reverse": reverse}
    model = model_of("CumProd", [MATRIX, np.array(1)], attrs, opset=26, constants=constants)

    check_equal([run(model, {"x0": MATRIX, "x1": np.array(1)})["y0"]], [np.array(expected, np.float32)])


@pytest.mark.parametrize("op", ["NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"])
@pytest.mark.parametrize(
    ("reduction", "weighted", "ignored"),
    list(itertools.product(["none", "sum", "mean"], [False, True], [None, 2])),
)
def test_losses_equal_the_reference(op: str, reduction: str, weighted: bool, ignored: int | None) -> None:
    attrs = {"reduction": reduction} | ({} if ignored is None else {"ignore_index": ignored})

    check_against_reference(op, [LOGITS, LABEL, *([WEIGHT] if weighted else [])], attrs)


def test_softmax_cross_entropy_gives_log_probabilities() -> None:
    results = run(
        model_of("SoftmaxCrossEntropyLoss", [LOGITS, LABEL], outputs=2), {"x0": LOGITS, "x1": LABEL}
    )

    probabilities = np.exp(LOGITS) / np.exp(LOGITS).sum(1, keepdims=True)
    np.testing.assert_allclose(results["y1"], np.log(probabilities), atol=1e-5)


@pytest.mark.parametrize("op", ["ReduceSum", "ReduceL1", "ReduceLogSumExp", "ReduceMax", "ReduceL2"])
@pytest.mark.parametrize("keepdims", [0, 1])
def test_noop_with_empty_axes_of_an_unknown_number(op: str, keepdims: int) -> None:
    x = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32)
    attrs = {"noop_with_empty_axes": 1, "keepdims": keepdims}
    model = model_of(op, [x, np.array([1])], attrs, opset=18, symbolic=True)
    feeds: list[dict[str, Array]] = [{"x0": x, "x1": np.array(axes, np.int64)} for axes in ([1], [], [-1, 0])]

    check_against_onnxruntime(model, *feeds)
