"""If, with values of the graph around it."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from tests.model_parser.onnx.control_models import info, model_of
from tests.model_parser.onnx.node_models import run

FLOAT, BOOL = TensorProto.FLOAT, TensorProto.BOOL


def _branch(op: str, name: str) -> onnx.GraphProto:
    """Both branches call their result the same."""
    return helper.make_graph([helper.make_node(op, ["x", "y"], ["r"])], name, [], [info("r", FLOAT, None)])


@pytest.mark.parametrize("condition", [True, False])
def test_if(condition: bool) -> None:
    node = helper.make_node(
        "If", ["c"], ["z"], then_branch=_branch("Add", "then"), else_branch=_branch("Mul", "else")
    )
    model = model_of([node], [info("c", BOOL, []), info("x", FLOAT, [2]), info("y", FLOAT, [2])], ["z"])
    x, y = np.array([1, 2], np.float32), np.array([5, 7], np.float32)

    found = run(model, {"c": np.array(condition), "x": x, "y": y})["z"]

    np.testing.assert_array_equal(found, x + y if condition else x * y)
