"""Reads and writes by index against the reference implementation of ONNX."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import check_against_reference, check_equal, model_of, run

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
MATRIX = np.arange(12, dtype=np.float32).reshape(3, 4)
REDUCTIONS = ["none", "add", "mul", "max", "min"]


@pytest.mark.parametrize("index", [1, [1], [[0, -1], [1, 1]], [[[0]]]])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather_equals_the_reference(axis: int, index: int | list[int]) -> None:
    check_against_reference("Gather", [X, np.array(index)], {"axis": axis}, constants=[1])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather_elements_with_fewer_indices_than_elements(axis: int) -> None:
    """Index may be smaller than the data on the other axes too."""
    index = np.random.default_rng(6).integers(-2, 2, (2, 2, 3))
    expected = np.zeros(index.shape, np.float32)
    for position in np.ndindex(*index.shape):
        source = list(position)
        source[axis] = index[position]
        expected[position] = X[tuple(source)]

    outputs = run(model_of("GatherElements", [X, index], {"axis": axis}), {"x0": X, "x1": index})

    check_equal([outputs["y0"]], [expected])


@pytest.mark.parametrize(
    ("index", "batch"),
    [([[0, 1], [1, -1]], 0), ([[[1]], [[0]]], 1), ([[[1, 2], [0, 0]], [[2, 3], [1, 1]]], 1), ([[1], [0]], 0)],
)
def test_gather_nd_equals_the_reference(index: list[int], batch: int) -> None:
    check_against_reference("GatherND", [X, np.array(index)], {"batch_dims": batch})


@pytest.mark.parametrize(
    ("attrs", "condition"),
    [({"axis": 1}, [True, False, True]), ({"axis": -1}, [False, True]), ({}, [False, True, False, True])],
)
def test_compress_equals_the_reference(attrs: dict[str, int], condition: list[bool]) -> None:
    check_against_reference("Compress", [X, np.array(condition)], attrs)


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_scatter_elements_equals_the_reference(reduction: str, axis: int) -> None:
    index = np.array([[0, 1], [2, -1]])
    updates = np.array([[5.0, -6.0], [7.0, 2.0]], np.float32)

    check_against_reference(
        "ScatterElements", [MATRIX, index, updates], {"axis": axis, "reduction": reduction}
    )


def test_scatter_elements_adds_at_equal_indices() -> None:
    inputs = [MATRIX, np.array([[1], [1], [1]]), np.array([[2.0], [3.0], [4.0]], np.float32)]

    check_against_reference("ScatterElements", inputs, {"axis": 0, "reduction": "add"})


def test_scatter_of_opset_10() -> None:
    index, updates = np.array([[2]]), np.array([[9.0]], np.float32)
    expected = MATRIX.copy()
    expected[2, 0] = 9

    outputs = run(
        model_of("Scatter", [MATRIX, index, updates], opset=10), {"x0": MATRIX, "x1": index, "x2": updates}
    )

    check_equal([outputs["y0"]], [expected])


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("index", [[[0, 1], [2, 3]], [[1], [1]]])
def test_scatter_nd_equals_the_reference(index: list[list[int]], reduction: str) -> None:
    indices = np.array(index)
    shape = (*indices.shape[:-1], *MATRIX.shape[indices.shape[-1] :])
    updates = np.linspace(-3, 8, int(np.prod(shape)), dtype=np.float32).reshape(shape)

    check_against_reference("ScatterND", [MATRIX, indices, updates], {"reduction": reduction})


def test_an_unknown_reduction_is_refused() -> None:
    model = model_of("ScatterND", [MATRIX, np.array([[0]]), MATRIX[:1]], {"reduction": "mean"})

    with pytest.raises(
        ModelParseError, match="reduction: expected one of none, add, mul, max, min, got 'mean'"
    ):
        run(model, {})


@pytest.mark.parametrize("mode", ["linear", "circular"])
@pytest.mark.parametrize("axis", [-2, 1, 2])
def test_tensor_scatter_from_a_start_per_sample(axis: int, mode: str) -> None:
    past = np.zeros((2, 4, 4), np.float32)
    update = np.arange(16, dtype=np.float32).reshape(2, 2, 4) + 1
    update = update if axis % 3 == 1 else update.swapaxes(1, 2)
    starts = np.array([1, 3 if mode == "circular" else 2])
    expected = np.moveaxis(past.copy(), axis, 1)
    for sample, start in enumerate(starts):
        for n in range(2):
            expected[sample, (start + n) % 4] = np.moveaxis(update, axis, 1)[sample, n]

    model = model_of("TensorScatter", [past, update, starts], {"axis": axis, "mode": mode}, opset=24)

    outputs = run(model, {"x0": past, "x1": update, "x2": starts})
    check_equal([outputs["y0"]], [np.moveaxis(expected, 1, axis)])
