"""Supported opsets and IR versions."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import check_equal, model_of, run

X = np.array([[1.0, -2.0]], np.float32)


@pytest.mark.parametrize("opset", [6, 7, 13, 21])
def test_an_opset_in_which_the_op_means_the_same_is_read(opset: int) -> None:
    check_equal([run(model_of("Abs", [X], opset=opset), {"x0": X})["y0"]], [np.abs(X)])


@pytest.mark.parametrize(("op", "opset"), [("Abs", 5), ("Add", 6), ("Abs", 0)])
def test_an_opset_in_which_the_op_means_something_else_is_refused(op: str, opset: int) -> None:
    model = model_of(op, [X] * (2 if op == "Add" else 1), opset=opset)

    with pytest.raises(
        ModelParseError,
        match=rf"opset {opset}, expected 7 or newer, since these ops meant something else: {op}; convert the "
        "model with onnx.version_converter",
    ):
        run(model, {})


def test_a_model_without_an_opset_is_refused() -> None:
    model = model_of("Abs", [X])
    del model.opset_import[:]

    with pytest.raises(ModelParseError, match="the model imports no opset of the default domain"):
        run(model, {})


def test_ir_version_2_has_no_opsets() -> None:
    model = model_of("MatMul", [X, X.T])
    del model.opset_import[:]
    model.ir_version = 2

    check_equal([run(model, {"x0": X, "x1": X.T})["y0"]], [X @ X.T])


def test_a_newer_opset_is_refused() -> None:
    newest = onnx.defs.onnx_opset_version()

    with pytest.raises(
        ModelParseError, match=f"opset {newest + 1}, expected at most {newest}, .* install a newer onnx"
    ):
        run(model_of("Abs", [X], opset=newest + 1), {})


def test_a_newer_ir_version_is_refused() -> None:
    model = model_of("Abs", [X])
    model.ir_version = onnx.IR_VERSION + 1

    with pytest.raises(
        ModelParseError, match=f"IR version {onnx.IR_VERSION + 1}, expected at most {onnx.IR_VERSION}"
    ):
        run(model, {})


def test_the_default_domain_may_have_its_name() -> None:
    model = model_of("Abs", [X])
    model.opset_import[0].domain = "ai.onnx"
    model.graph.node[0].domain = "ai.onnx"

    check_equal([run(model, {"x0": X})["y0"]], [np.abs(X)])
