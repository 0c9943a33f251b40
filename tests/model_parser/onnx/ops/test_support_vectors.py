"""Support vector machines against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import check_against_onnxruntime, run
from tests.model_parser.onnx.ops.test_features import model_of

RNG = np.random.default_rng(3)
ROWS, FEATURES = 12, 3
X = RNG.standard_normal((ROWS, FEATURES)).astype(np.float32)
PARAMS = [0.5, 0.3, 2.0]
TRANSFORMS = ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"]


def numbers(count: int, seed: int = 0) -> list[float]:
    array: list[float] = np.random.default_rng(seed).standard_normal(count).astype(np.float32).tolist()
    return array


@pytest.mark.parametrize("kernel", ["LINEAR", "POLY", "RBF", "SIGMOID"])
@pytest.mark.parametrize("one_class", [0, 1])
def test_a_regressor(kernel: str, one_class: int) -> None:
    model, feeds = model_of(
        "SVMRegressor", [X], kernel_type=kernel, kernel_params=PARAMS, n_supports=4, one_class=one_class,
        coefficients=numbers(4), support_vectors=numbers(4 * FEATURES, 1), rho=[0.2],
    )  # fmt: skip

    check_against_onnxruntime(model, feeds)


@pytest.mark.parametrize("one_class", [0, 1])
def test_a_regressor_without_vectors(one_class: int) -> None:
    attrs: dict[str, Any] = {
        "coefficients": numbers(FEATURES),
        "rho": [-0.3],
        "one_class": one_class,
        "kernel_params": PARAMS,
    }
    model, feeds = model_of("SVMRegressor", [X], kernel_type="LINEAR", n_supports=0, **attrs)

    check_against_onnxruntime(model, feeds)


def machine(classes: int, kernel: str = "RBF", **more: Any) -> dict[str, Any]:
    """The attributes of a classifier with a few vectors for each class."""
    sizes = [2, 1, 3, 2][:classes]
    vectors, pairs = sum(sizes), classes * (classes - 1) // 2
    return {
        "kernel_type": kernel,
        "kernel_params": PARAMS,
        "vectors_per_class": sizes,
        "support_vectors": numbers(vectors * FEATURES, 1),
        "coefficients": numbers((classes - 1) * vectors, 2),
        "rho": numbers(pairs, 3),
        "classlabels_ints": [7, 3, 5, 9][:classes],
        **more,
    }


def platt(classes: int) -> dict[str, Any]:
    pairs = classes * (classes - 1) // 2
    return {"prob_a": [-abs(a) - 0.1 for a in numbers(pairs, 4)], "prob_b": numbers(pairs, 5)}


@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("has_probabilities", [False, True])
def test_a_classifier(classes: int, transform: str, has_probabilities: bool) -> None:
    more = platt(classes) if has_probabilities else {}
    model, feeds = model_of("SVMClassifier", [X], 2, post_transform=transform, **machine(classes, **more))

    check_against_onnxruntime(model, feeds)


@pytest.mark.parametrize("kernel", ["LINEAR", "POLY", "SIGMOID"])
def test_kernels_of_a_classifier(kernel: str) -> None:
    labels = {"classlabels_strings": ["a", "b", "c"]}
    attrs = machine(3, kernel)
    del attrs["classlabels_ints"]

    check_against_onnxruntime(*model_of("SVMClassifier", [X], 2, **attrs, **labels))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("is_positive", [False, True])
def test_a_classifier_without_vectors(classes: int, transform: str, is_positive: bool) -> None:
    coefficients = numbers(classes * FEATURES)
    if is_positive:
        coefficients = [abs(each) for each in coefficients]
    attrs = {
        "kernel_params": PARAMS,
        "coefficients": coefficients,
        "rho": [0.1],
        "classlabels_ints": [7, 3, 5][:classes],
    }
    model, feeds = model_of("SVMClassifier", [X], 2, post_transform=transform, kernel_type="LINEAR", **attrs)

    check_against_onnxruntime(model, feeds)


@pytest.mark.parametrize(
    ("attrs", "reason"),
    [
        ({"rho": [1.0]}, "rho: expected 3 numbers, got 1"),
        ({"vectors_per_class": [1, 2]}, "vectors_per_class: expected 3 numbers, one a label, got 2"),
        ({"support_vectors": [1.0] * 7}, "support_vectors: expected 6 of one size, got 7 numbers"),
        ({"coefficients": [1.0]}, "coefficients: expected 12 numbers, got 1"),
        ({"kernel_type": "COSINE"}, "kernel_type: expected LINEAR, POLY, RBF, SIGMOID, got 'COSINE'"),
        ({"prob_a": [1.0], "prob_b": [1.0]}, "prob_a: expected 3 numbers, got 1"),
    ],
)
def test_what_does_not_fit_is_refused(attrs: dict[str, Any], reason: str) -> None:
    model, feeds = model_of("SVMClassifier", [X], 2, **{**machine(3), **attrs})

    with pytest.raises(ModelParseError, match=reason):
        run(model, feeds)
