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


def test_an_opset_in_which_the_op_means_something_else_is_converted(caplog: pytest.LogCaptureFixture) -> None:
    model = model_of("Add", [X, X[0]], opset=6)
    axis = onnx.helper.make_attribute("axis", 1)
    model.graph.node[0].attribute.extend([onnx.helper.make_attribute("broadcast", 1), axis])

    check_equal([run(model, {"x0": X, "x1": X[0]})["y0"]], [X + X[0]])
    assert "opset 6 was converted to 7 by onnx" in caplog.text


@pytest.mark.parametrize("slope", [[0.5], [0.5, 0.25, 2.0]])
def test_slopes_by_channel_of_an_old_opset(slope: list[float]) -> None:
    x = np.linspace(-3, 3, 12, dtype=np.float32).reshape(1, 3, 4)
    model = model_of("PRelu", [x, np.array(slope, np.float32)], opset=6)
    name = model.graph.input[1].name
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array(slope, np.float32), name))

    expected = np.where(x < 0, x * np.array(slope, np.float32).reshape(1, -1, 1), x)
    check_equal([run(model, {"x0": x})["y0"]], [expected])


def test_an_opset_that_cannot_be_converted_is_refused() -> None:
    with pytest.raises(
        ModelParseError,
        match=r"opset 0, expected 7 or newer, since these ops meant something else: Abs; onnx cannot "
        "convert the model .* export it again",
    ):
        run(model_of("Abs", [X], opset=0), {})


def test_a_model_of_another_domain_needs_no_opset_of_the_default_one() -> None:
    model = model_of("Binarizer", [X])
    model.graph.node[0].attribute.append(onnx.helper.make_attribute("threshold", 0.5))
    model.graph.node[0].domain = "ai.onnx.ml"
    model.opset_import[0].domain, model.opset_import[0].version = "ai.onnx.ml", 1

    check_equal([run(model, {"x0": X})["y0"]], [np.array([[1, 0]], np.float32)])


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
