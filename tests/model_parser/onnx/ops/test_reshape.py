"""Reshape, Flatten, Squeeze and Unsqueeze against ONNX's reference."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import matches_reference, model_of, run, same

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.mark.parametrize("shape", [[6, 4], [0, -1], [2, 0, 4], [-1], [24, 1]])
def test_reshape(shape: list[int]) -> None:
    matches_reference("Reshape", [X, np.array(shape)], constants=[1])


@pytest.mark.parametrize("shape", [[3, 4, 0], [0, 7], [5, 0, 0]])
def test_zero_is_zero(shape: list[int]) -> None:
    x = np.zeros((0, 3), np.float32)

    matches_reference("Reshape", [x, np.array(shape)], {"allowzero": 1}, constants=[1])


@pytest.mark.parametrize("axis", [0, 1, 2, 3, -1])
def test_flatten(axis: int) -> None:
    matches_reference("Flatten", [X], {"axis": axis})


def test_flatten_without_axes() -> None:
    found = run(model_of("Flatten", [np.array(5.0)], {"axis": 0}), {"x0": np.array(5.0)})

    same([found["y0"]], [np.array([[5.0]])])


@pytest.mark.parametrize("axes", [None, [0], [-1], [0, 2]])
def test_squeeze(axes: list[int] | None) -> None:
    x = np.arange(3, dtype=np.float32).reshape(1, 3, 1)

    if axes is None:
        same([run(model_of("Squeeze", [x]), {"x0": x})["y0"]], [x.reshape(3)])
    else:
        matches_reference("Squeeze", [x, np.array(axes)], constants=[1])


def test_squeeze_by_attribute() -> None:
    x = np.zeros((1, 3, 1), np.float32)

    same([run(model_of("Squeeze", [x], {"axes": [2]}, opset=11), {"x0": x})["y0"]], [x[:, :, 0]])


@pytest.mark.parametrize("axes", [[0], [-1], [4, 1], [-1, -3], [3, -1, 0]])
def test_unsqueeze(axes: list[int]) -> None:
    matches_reference("Unsqueeze", [X, np.array(axes)], constants=[1])


def test_unsqueeze_by_attribute() -> None:
    found = run(model_of("Unsqueeze", [X], {"axes": [3, 0]}, opset=11), {"x0": X})

    same([found["y0"]], [X[None, :, :, None]])


def test_unsqueeze_without_axes() -> None:
    with pytest.raises(ModelParseError, match=r"node \(Unsqueeze\): axes are missing"):
        run(model_of("Unsqueeze", [X]), {"x0": X})
