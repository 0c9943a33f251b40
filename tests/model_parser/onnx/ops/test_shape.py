"""Shapes against the reference implementation of ONNX."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import (
    check_against_onnxruntime,
    check_against_reference,
    check_equal,
    model_of,
    run,
)

ZEROS = np.zeros((2, 3, 4), np.float32)
X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
COLUMN = np.array([[[1.0], [2.0], [3.0]]], np.float32)


@pytest.mark.parametrize(
    "attrs", [{}, {"start": 1}, {"end": -1}, {"start": -2, "end": 3}, {"start": 2, "end": 1}, {"end": 9}]
)
def test_shape_and_its_slices(attrs: dict[str, int]) -> None:
    check_against_reference("Shape", [ZEROS], attrs)


@pytest.mark.parametrize("x", [ZEROS, np.array(1.0), np.zeros((0, 5), np.int32)])
def test_size_equals_the_reference(x: np.ndarray) -> None:
    check_against_reference("Size", [x])


@pytest.mark.parametrize("shape", [[6, 4], [0, -1], [2, 0, 4], [-1], [24, 1]])
def test_reshape_equals_the_reference(shape: list[int]) -> None:
    check_against_reference("Reshape", [X, np.array(shape)], constants=[1])


@pytest.mark.parametrize("shape", [[3, 4, 0], [0, 7], [5, 0, 0]])
def test_reshape_with_allowzero(shape: list[int]) -> None:
    x = np.zeros((0, 3), np.float32)

    check_against_reference("Reshape", [x, np.array(shape)], {"allowzero": 1}, constants=[1])


@pytest.mark.parametrize("axis", [0, 1, 2, 3, -1])
def test_flatten_equals_the_reference(axis: int) -> None:
    check_against_reference("Flatten", [X], {"axis": axis})


def test_flatten_of_a_scalar() -> None:
    outputs = run(model_of("Flatten", [np.array(5.0)], {"axis": 0}), {"x0": np.array(5.0)})

    check_equal([outputs["y0"]], [np.array([[5.0]])])


@pytest.mark.parametrize("axes", [None, [0], [-1], [0, 2]])
def test_squeeze_with_and_without_axes(axes: list[int] | None) -> None:
    x = np.arange(3, dtype=np.float32).reshape(1, 3, 1)

    if axes is None:
        check_equal([run(model_of("Squeeze", [x]), {"x0": x})["y0"]], [x.reshape(3)])
    else:
        check_against_reference("Squeeze", [x, np.array(axes)], constants=[1])


def test_squeeze_of_opset_11() -> None:
    x = np.zeros((1, 3, 1), np.float32)

    check_equal([run(model_of("Squeeze", [x], {"axes": [2]}, opset=11), {"x0": x})["y0"]], [x[:, :, 0]])


@pytest.mark.parametrize("axes", [[0], [-1], [4, 1], [-1, -3], [3, -1, 0]])
def test_unsqueeze_equals_the_reference(axes: list[int]) -> None:
    check_against_reference("Unsqueeze", [X, np.array(axes)], constants=[1])


def test_unsqueeze_of_opset_11() -> None:
    outputs = run(model_of("Unsqueeze", [X], {"axes": [3, 0]}, opset=11), {"x0": X})

    check_equal([outputs["y0"]], [X[None, :, :, None]])


def test_unsqueeze_without_axes_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"node \(Unsqueeze\): axes are missing"):
        run(model_of("Unsqueeze", [X]), {"x0": X})


@pytest.mark.parametrize("attrs", [{}, {"perm": [1, 2, 0]}])
def test_transpose_equals_the_reference(attrs: dict[str, list[int]]) -> None:
    check_against_reference("Transpose", [np.arange(24, dtype=np.int8).reshape(2, 3, 4)], attrs)


def test_transpose_without_perm_of_an_unknown_rank() -> None:
    model = model_of("Transpose", [X])
    model.graph.input[0].type.tensor_type.ClearField("shape")

    for shape in ((2, 3), (4,), (2, 1, 3)):
        x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        check_equal([run(model, {"x0": x})["y0"]], [x.T])


def test_transpose_of_a_scalar() -> None:
    check_against_reference("Transpose", [np.array(3.0, np.float32)])


@pytest.mark.parametrize("shape", [[2, 3, 4], [1], [5, 1, 1, 2], [3, 1], [1, 1, 1], [0, 1, 1]])
def test_expand_equals_the_reference(shape: list[int]) -> None:
    check_against_reference("Expand", [COLUMN, np.array(shape)], constants=[1])


def test_expand_of_bools_to_a_computed_shape() -> None:
    check_against_reference("Expand", [np.array([True, False]), np.array([3, 2])])


@pytest.mark.parametrize("times", [[1, 2, 3], [0, 1, 1]])
def test_tile_equals_the_reference(times: list[int]) -> None:
    check_against_reference("Tile", [COLUMN, np.array(times)], constants=[1])


@pytest.mark.parametrize(
    ("opset", "unsqueeze"), [(17, "Unsqueeze (z, axes)"), (12, "Unsqueeze <axes: ints = [-1, 1]> (z)")]
)
def test_unsqueeze_by_axes_of_both_signs_of_an_unknown_rank(opset: int, unsqueeze: str) -> None:
    text = f"""<ir_version: 9, opset_import: ["" : {opset}]>
    agraph (float[n] x, int64[m] shape) => (float[] y) <int64[2] axes = {{-1, 1}}> {{
      z = Reshape (x, shape)
      y = {unsqueeze}
    }}"""
    x = np.arange(6, dtype=np.float32)

    check_against_onnxruntime(text, {"x": x, "shape": np.array([2, 3])}, {"x": x, "shape": np.array([6])})
