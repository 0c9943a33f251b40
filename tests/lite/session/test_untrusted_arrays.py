"""Arrays of a model or a feed that are too short, and indices that come from data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lite
from lite.errors import ExecutionError, LiteError
from lite.ir.types import Array
from lite.plugin.kernel.evaluation import evaluate
from lite.plugin.loader import load_kernels

helper = pytest.importorskip("onnx.helper", reason="the models are ONNX models")
onnx = pytest.importorskip("onnx")

CHANNELS = 64
NORMS: dict[str, tuple[list[str], tuple[int, ...], dict[str, Any]]] = {
    "InstanceNormalization": (["x", "s", "b"], (1, CHANNELS, 1, 2), {}),
    "LayerNormalization": (["x", "s", "b"], (2, CHANNELS), {"axis": -1}),
    "GroupNormalization": (["x", "s", "b"], (1, CHANNELS, 1, 2), {"num_groups": 2}),
    "RMSNormalization": (["x", "s"], (2, CHANNELS), {"axis": -1}),
}


def predictor_of(op: str, length: int, *, is_constant: bool) -> tuple[lite.Predictor, dict[str, Array]]:
    names, shape, attributes = NORMS[op]
    inputs = [helper.make_tensor_value_info("x", 1, list(shape))]
    vectors = {name: np.ones(length, np.float32) for name in names[1:]}
    if is_constant:
        constants = [onnx.numpy_helper.from_array(array, name) for name, array in vectors.items()]
    else:
        constants = []
        inputs += [helper.make_tensor_value_info(name, 1, [f"n_{name}"]) for name in vectors]
    node = helper.make_node(op, names, ["y"], **attributes)
    graph = helper.make_graph([node], "g", inputs, [onnx.ValueInfoProto(name="y")], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    predictor = lite.create_predictor(lite.Config(model_buffer=model.SerializeToString()))
    return predictor, {"x": np.zeros(shape, np.float32), **({} if is_constant else vectors)}


@pytest.mark.parametrize("op", NORMS)
@pytest.mark.parametrize("is_constant", [False, True], ids=["fed", "constant"])
@pytest.mark.parametrize("length", [2, CHANNELS - 1])
def test_norms_with_vectors_that_are_too_short_are_refused(op: str, is_constant: bool, length: int) -> None:
    def load_and_run() -> None:
        predictor, feeds = predictor_of(op, length, is_constant=is_constant)
        predictor.run(feeds)

    with pytest.raises(LiteError):
        load_and_run()


@pytest.mark.parametrize("op", NORMS)
@pytest.mark.parametrize("is_constant", [False, True], ids=["fed", "constant"])
def test_norms_with_vectors_of_the_right_length_run(op: str, is_constant: bool) -> None:
    predictor, feeds = predictor_of(op, CHANNELS, is_constant=is_constant)
    assert predictor.run(feeds)["y"].shape == feeds["x"].shape


@pytest.mark.parametrize("index", [10**6, 2**40, 2**62])
def test_index_of_a_tensor_array_that_comes_from_data_is_limited(index: int) -> None:
    x = np.ones(2, np.float32)
    load_kernels(["write_to_array"])
    [written] = evaluate("write_to_array", {"X": [x], "I": [np.array([3])]}, {}, {"Out": 1})["Out"]
    assert len(written.array) == 4
    with pytest.raises(ExecutionError, match="the limit of tensor arrays"):
        evaluate("write_to_array", {"X": [x], "I": [np.array([index])]}, {}, {"Out": 1})
