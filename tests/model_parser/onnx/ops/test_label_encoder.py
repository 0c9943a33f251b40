"""LabelEncoder from each type of key to each type of value, by the definition of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import run

TEXTS = np.array([["b", "x"], ["a", "b"]], object)
INTEGERS = np.array([3, 1, 4, 1])
REALS = np.array([1.5, np.nan, 2.5], np.float32)


def encoded(x: Array, version: int = 4, **attrs: Any) -> Array:
    text = x.dtype == object
    kind = onnx.TensorProto.STRING if text else helper.np_dtype_to_tensor_dtype(x.dtype)
    node = helper.make_node("LabelEncoder", ["x"], ["y"], domain="ai.onnx.ml", **attrs)
    infos = [helper.make_tensor_value_info("x", kind, x.shape)]
    graph = helper.make_graph([node], "graph", infos, [onnx.ValueInfoProto(name="y")])
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", version)]
    return run(helper.make_model(graph, opset_imports=opsets, ir_version=10), {"x": x})["y"]


@pytest.mark.parametrize(
    ("x", "attrs", "expected"),
    [
        (TEXTS, {"keys_strings": ["a", "b"], "values_int64s": [7, 8]}, np.array([[8, -1], [7, 8]])),
        (
            TEXTS,
            {"keys_strings": ["a", "b"], "values_floats": [0.5, 1.5], "default_float": 9.0},
            np.array([[1.5, 9], [0.5, 1.5]], np.float32),
        ),
        (
            TEXTS,
            {"keys_strings": ["a", "b"], "values_strings": ["A", "B"]},
            np.array([["B", "_Unused"], ["A", "B"]], object),
        ),
        (
            INTEGERS,
            {"keys_int64s": [1, 3], "values_strings": ["one", "three"], "default_string": "?"},
            np.array(["three", "one", "?", "one"], object),
        ),
        (INTEGERS, {"keys_int64s": [1, 3], "values_int64s": [10, 30]}, np.array([30, 10, -1, 10])),
        (
            REALS,
            {"keys_floats": [float("nan"), 1.5], "values_int64s": [1, 2], "default_int64": 0},
            np.array([2, 1, 0]),
        ),
        (
            INTEGERS.astype(np.int16),
            {
                "keys_tensor": numpy_helper.from_array(np.array([1, 3], np.int16)),
                "values_tensor": numpy_helper.from_array(np.array([0.25, 0.75])),
                "default_tensor": numpy_helper.from_array(np.array([2.0])),
            },
            np.array([0.75, 0.25, 2, 0.25]),
        ),
    ],
)
def test_keys_become_values_and_others_the_default(x: Array, attrs: dict[str, Any], expected: Array) -> None:
    result = encoded(x, **attrs)

    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def test_classes_of_the_first_version_are_numbered() -> None:
    classes = {"classes_strings": ["a", "b"]}
    np.testing.assert_array_equal(encoded(TEXTS, 1, **classes), [[1, -1], [0, 1]])
    texts = encoded(np.array([1, 0, 5]), 1, **classes, default_string="?")
    assert texts.tolist() == ["b", "a", "?"]


@pytest.mark.parametrize(
    ("attrs", "reason"),
    [
        ({"keys_strings": ["a"], "values_int64s": [1, 2]}, "as many values as keys, got 2 and 1"),
        ({"keys_int64s": [1], "values_int64s": [1]}, "the keys are int64, and the input is string"),
        (
            {"keys_strings": ["a"]},
            "values_tensor, values_strings, values_int64s and values_floats are missing",
        ),
    ],
)
def test_tables_that_do_not_fit_are_refused(attrs: dict[str, Any], reason: str) -> None:
    with pytest.raises(ModelParseError, match=reason):
        encoded(TEXTS, **attrs)
