"""Ops that ONNX defines by other ops."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import helper

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import check_equal, model_of, run

X = np.array([[1.0, -2.0]], np.float32)


def test_an_op_without_a_translation_is_expanded() -> None:
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=(1, 2, 3, 4)).astype(np.float32) for _ in range(3))
    model = model_of("FlexAttention", [q, k, v], opset=onnx.defs.onnx_opset_version())
    model.graph.node[0].domain = "ai.onnx.preview"
    model.opset_import.append(helper.make_opsetid("ai.onnx.preview", 1))

    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(np.float32(4))
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    expected = powers / powers.sum(-1, keepdims=True) @ v
    result = run(model, {"x0": q, "x1": k, "x2": v})["y0"]
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_an_op_that_onnx_does_not_know_is_not_expanded() -> None:
    model = model_of("Foo", [X])
    with pytest.raises(ModelParseError, match="ONNX op types are not supported: Foo"):
        run(model, {})


def test_other_models_stay_as_they_are() -> None:
    check_equal([run(model_of("Abs", [X]), {"x0": X})["y0"]], [np.abs(X)])


@pytest.mark.parametrize("version", [-1, 2**40])
def test_an_impossible_version_of_a_domain_is_refused(version: int) -> None:
    model = model_of("Foo", [X])
    model.graph.node[0].domain = "ai.onnx.preview"
    model.opset_import.append(helper.make_opsetid("ai.onnx.preview", version))
    with pytest.raises(ModelParseError, match=r"ONNX op types are not supported: ai\.onnx\.preview\.Foo"):
        run(model, {})
