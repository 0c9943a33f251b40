"""Losses, and SwiGLU."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.model_parser.onnx.node_models import matches_reference, model_of, run

X = np.random.default_rng(0).standard_normal((3, 5, 2)).astype(np.float32)
LABEL = np.array([[0, 4], [2, 2], [1, 3]])
WEIGHT = np.array([0.1, 0.5, 2.0, 0.3, 0.7], np.float32)


@pytest.mark.parametrize("op", ["NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"])
@pytest.mark.parametrize(
    ("reduction", "weighted", "ignored"),
    list(itertools.product(["none", "sum", "mean"], [False, True], [None, 2])),
)
def test_loss(op: str, reduction: str, weighted: bool, ignored: int | None) -> None:
    attrs = {"reduction": reduction} | ({} if ignored is None else {"ignore_index": ignored})

    matches_reference(op, [X, LABEL, *([WEIGHT] if weighted else [])], attrs)


def test_logarithms_of_the_shares() -> None:
    found = run(model_of("SoftmaxCrossEntropyLoss", [X, LABEL], outputs=2), {"x0": X, "x1": LABEL})

    shares = np.exp(X) / np.exp(X).sum(1, keepdims=True)
    np.testing.assert_allclose(found["y1"], np.log(shares), atol=1e-5)


def test_swiglu() -> None:
    model = model_of("Mul", [X, X])
    model.graph.node[0].op_type = "SwiGLU"

    found = run(model, {"x0": X, "x1": X + 1})["y0"]

    np.testing.assert_allclose(found, X / (1 + np.exp(-X)) * (X + 1), atol=1e-5)
