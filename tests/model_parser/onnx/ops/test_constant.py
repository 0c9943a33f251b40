"""Constant in every form, and ConstantOfShape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import helper, numpy_helper

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import matches_reference, model_of, run, same

DENSE = np.array([[1.5, 0.0], [0.0, -2.0]], np.float32)
PLACES = np.array([0, 3])
SPARSE = helper.make_sparse_tensor(
    numpy_helper.from_array(np.array([1.5, -2.0], np.float32), "values"),
    numpy_helper.from_array(PLACES, "places"),
    [2, 2],
)


@pytest.mark.parametrize(
    ("attrs", "wanted"),
    [
        ({"value": numpy_helper.from_array(DENSE)}, DENSE),
        ({"sparse_value": SPARSE}, DENSE),
        ({"value_int": 7}, np.array(7)),
        ({"value_ints": [1, 2]}, np.array([1, 2])),
        ({"value_float": 0.5}, np.array(0.5, np.float32)),
        ({"value_floats": [0.5, 1.0]}, np.array([0.5, 1.0], np.float32)),
        ({"value_string": "a"}, np.array("a", object)),
        ({"value_strings": ["a", "b"]}, np.array(["a", "b"], object)),
    ],
)
def test_constant(attrs: dict[str, Any], wanted: np.ndarray) -> None:
    same([run(model_of("Constant", [], attrs), {})["y0"]], [wanted])


def test_constant_without_value() -> None:
    with pytest.raises(ModelParseError, match=r"node \(Constant\): attribute value is missing"):
        run(model_of("Constant", []), {})


@pytest.mark.parametrize("value", [np.array([2.5], np.float32), np.array([2**62 + 1]), np.array([True])])
@pytest.mark.parametrize("shape", [[2, 3], [], [0]])
def test_constant_of_shape(shape: list[int], value: np.ndarray) -> None:
    sizes = np.array(shape, np.int64)
    model = model_of("ConstantOfShape", [sizes], {"value": numpy_helper.from_array(value)}, constants=[0])

    same([run(model, {})["y0"]], [np.full(shape, value[0])])


def test_zeros_of_a_computed_shape() -> None:
    matches_reference("ConstantOfShape", [np.array([3, 2])])


def test_two_numbers() -> None:
    value = numpy_helper.from_array(np.zeros(2, np.float32))
    model = model_of("ConstantOfShape", [np.array([1])], {"value": value}, constants=[0])

    with pytest.raises(ModelParseError, match="value: expected one element, got 2"):
        run(model, {})
