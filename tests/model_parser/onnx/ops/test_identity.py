"""Identity and Dropout."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import helper, numpy_helper

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import matches_reference, model_of, run, same

X = np.array([[1.0, -2.0]], np.float32)


def test_identity() -> None:
    matches_reference("Identity", [X])


def test_identity_of_a_constant_is_known() -> None:
    """Reduction axes behind an Identity become an attribute: noop_with_empty_axes can be told."""
    model = model_of(
        "ReduceSum", [X, np.array([1])], {"noop_with_empty_axes": 1}, constants=[1], symbolic=True
    )
    model.graph.initializer[0].name = "axes"
    model.graph.node.insert(0, helper.make_node("Identity", ["axes"], ["x1"]))

    same([run(model, {"x0": X})["y0"]], [np.array([[-1.0]], np.float32)])


@pytest.mark.parametrize(("opset", "mask"), [(7, np.float32), (10, np.bool_), (21, np.bool_)])
def test_dropout(opset: int, mask: type[np.generic]) -> None:
    model = model_of("Dropout", [X], opset=opset, outputs=2)

    same(list(run(model, {"x0": X}).values()), [X, np.ones((1, 2), mask)])


def test_dropout_not_in_training() -> None:
    inputs = [X, np.array(0.5, np.float32), np.array(False)]

    same([run(model_of("Dropout", inputs, constants=[1, 2]), {"x0": X})["y0"]], [X])


def test_dropout_in_training() -> None:
    inputs = [X, np.array(0.5, np.float32), np.array(True)]

    with pytest.raises(
        ModelParseError, match=r"node \(Dropout\): training_mode: expected a constant that is"
    ):
        run(model_of("Dropout", inputs, constants=[1, 2]), {"x0": X})


def test_sparse_initialiser() -> None:
    model = model_of("Add", [X, X], constants=[1])
    del model.graph.initializer[:]
    values = numpy_helper.from_array(np.array([5.0], np.float32), "x1")
    places = numpy_helper.from_array(np.array([[0, 1]]), "places")
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, places, [1, 2]))

    same([run(model, {"x0": X})["y0"]], [np.array([[1.0, 3.0]], np.float32)])
