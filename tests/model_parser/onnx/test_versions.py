"""Which opsets and IR versions are read."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import model_of, run, same

X = np.array([[1.0, -2.0]], np.float32)


@pytest.mark.parametrize("opset", [6, 7, 13, 21])
def test_an_old_opset_in_which_the_op_meant_the_same(opset: int) -> None:
    same([run(model_of("Abs", [X], opset=opset), {"x0": X})["y0"]], [np.abs(X)])


@pytest.mark.parametrize(("op", "opset"), [("Abs", 5), ("Add", 6), ("Abs", 0)])
def test_an_old_opset_in_which_it_meant_something_else(op: str, opset: int) -> None:
    model = model_of(op, [X] * (2 if op == "Add" else 1), opset=opset)

    with pytest.raises(
        ModelParseError,
        match=rf"opset {opset}, expected 7 or newer, since these ops meant something else: {op}; convert the "
        "model with onnx.version_converter",
    ):
        run(model, {})


def test_no_opset_at_all() -> None:
    model = model_of("Abs", [X])
    del model.opset_import[:]

    with pytest.raises(ModelParseError, match="does not say which opset of the default domain it uses"):
        run(model, {})


def test_before_there_were_opsets() -> None:
    model = model_of("MatMul", [X, X.T])
    del model.opset_import[:]
    model.ir_version = 2

    same([run(model, {"x0": X, "x1": X.T})["y0"]], [X @ X.T])


def test_new_opset() -> None:
    newest = onnx.defs.onnx_opset_version()

    with pytest.raises(
        ModelParseError, match=f"opset {newest + 1}, expected at most {newest}, .* install a newer onnx"
    ):
        run(model_of("Abs", [X], opset=newest + 1), {})


def test_new_ir() -> None:
    model = model_of("Abs", [X])
    model.ir_version = onnx.IR_VERSION + 1

    with pytest.raises(
        ModelParseError, match=f"IR version {onnx.IR_VERSION + 1}, expected at most {onnx.IR_VERSION}"
    ):
        run(model, {})


def test_default_domain_by_its_name() -> None:
    model = model_of("Abs", [X])
    model.opset_import[0].domain = "ai.onnx"
    model.graph.node[0].domain = "ai.onnx"

    same([run(model, {"x0": X})["y0"]], [np.abs(X)])
