"""Ops of the domain ai.onnx.ml against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import check_against_onnxruntime, run

X = np.array([[1.0, -2.0, 0.5], [0.0, 0.0, 0.0], [4.0, 1.0, -3.0]], np.float32)


def model_of(
    op: str, inputs: list[Array], outputs: int = 1, **attrs: Any
) -> tuple[onnx.ModelProto, dict[str, Array]]:
    feeds = {f"x{n}": array for n, array in enumerate(inputs)}
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in feeds.items()
    ]
    names = [f"y{n}" for n in range(outputs)]
    node = helper.make_node(op, list(feeds), names, domain="ai.onnx.ml", **attrs)
    graph = helper.make_graph([node], "graph", infos, [onnx.ValueInfoProto(name=name) for name in names])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8), feeds


@pytest.mark.parametrize(
    ("op", "attrs"),
    [
        ("Scaler", {"offset": [0.5], "scale": [2.0]}),
        ("Scaler", {"offset": [0.5, 1.0, -1.0], "scale": [2.0, 3.0, 0.25]}),
        ("Binarizer", {"threshold": 0.4}),
        ("Binarizer", {}),
        ("Normalizer", {"norm": "MAX"}),
        ("Normalizer", {"norm": "L1"}),
        ("Normalizer", {"norm": "L2"}),
        ("Imputer", {"imputed_value_floats": [7.0], "replaced_value_float": 0.0}),
        ("Imputer", {"imputed_value_floats": [7.0, 8.0, 9.0], "replaced_value_float": 0.0}),
        ("LinearRegressor", {"coefficients": [1.0, 2.0, 3.0], "intercepts": [0.5]}),
        ("LinearRegressor", {"coefficients": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "targets": 2}),
    ],
)
def test_ops_of_one_tensor(op: str, attrs: dict[str, Any]) -> None:
    model, feeds = model_of(op, [X], **attrs)

    check_against_onnxruntime(model, feeds)


def test_missing_numbers_may_be_nan_or_integers() -> None:
    x = np.array([[1.0, np.nan], [np.nan, 2.0]], np.float32)
    model, feeds = model_of(
        "Imputer", [x], imputed_value_floats=[3.0, 4.0], replaced_value_float=float("nan")
    )
    check_against_onnxruntime(model, feeds)

    model, feeds = model_of(
        "Imputer", [np.array([[1, 5], [5, 2]])], imputed_value_int64s=[3, 4], replaced_value_int64=5
    )
    check_against_onnxruntime(model, feeds)


def test_columns_are_picked_and_joined() -> None:
    check_against_onnxruntime(*model_of("ArrayFeatureExtractor", [X, np.array([2, 0, 2])]))
    check_against_onnxruntime(*model_of("ArrayFeatureExtractor", [X[0], np.array([1])]))
    model, feeds = model_of("FeatureVectorizer", [X, X[:, :2]], inputdimensions=[3, 2])
    check_against_onnxruntime(model, feeds)


@pytest.mark.parametrize("transform", ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"])
@pytest.mark.parametrize("targets", [1, 2])
def test_a_linear_regressor(transform: str, targets: int) -> None:
    coefficients = np.random.default_rng(1).standard_normal(3 * targets).astype(np.float32).tolist()
    model, feeds = model_of(
        "LinearRegressor", [X], coefficients=coefficients, targets=targets, post_transform=transform
    )

    check_against_onnxruntime(model, feeds)


@pytest.mark.parametrize("transform", ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"])
@pytest.mark.parametrize(
    "labels", [{"classlabels_ints": [7, 3, 5]}, {"classlabels_strings": ["a", "b", "c"]}]
)
def test_a_linear_classifier_of_three_labels(transform: str, labels: dict[str, Any]) -> None:
    coefficients = np.random.default_rng(0).standard_normal(9).astype(np.float32).tolist()
    model, feeds = model_of(
        "LinearClassifier",
        [X],
        2,
        coefficients=coefficients,
        intercepts=[0.1, 0.2, -0.3],
        post_transform=transform,
        **labels,
    )

    check_against_onnxruntime(model, feeds)


@pytest.mark.parametrize(
    ("op", "attrs", "reason"),
    [
        ("Normalizer", {"norm": "L3"}, "norm: expected MAX, L1 or L2"),
        ("Imputer", {}, "imputed_value_floats is missing"),
        (
            "LinearRegressor",
            {"coefficients": [1.0] * 3, "post_transform": "PROBIT"},
            "post_transform: expected NONE",
        ),
        ("LinearRegressor", {"coefficients": [1.0] * 3, "targets": 2}, "coefficients: expected 2 rows"),
        (
            "LinearClassifier",
            {"coefficients": [1.0] * 3, "classlabels_strings": ["a"]},
            "expected two or more labels",
        ),
        (
            "LinearClassifier",
            {"coefficients": [1.0] * 3, "classlabels_ints": [0, 1]},
            "coefficients: expected 2 rows",
        ),
    ],
)
def test_what_is_not_supported_is_refused(op: str, attrs: dict[str, Any], reason: str) -> None:
    model, feeds = model_of(op, [X], **attrs)

    with pytest.raises(ModelParseError, match=reason):
        run(model, feeds)
