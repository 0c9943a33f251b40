"""ONNX's backend interface; `tests/suite/test_onnx_backend.py` runs ONNX's own tests."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import helper

from lite.compat import onnx_backend
from lite.errors import InputError
from tests.lite.compat.onnxruntime.models import sum_with_weight

X = np.array([[1, 2, 3]], np.float32)
W = np.array([1, 2, 3], np.float32)


def test_inputs_come_as_a_list_or_by_name() -> None:
    prepared = onnx_backend.prepare(sum_with_weight())
    for inputs in ([X], (X,), X, {"x": X}, [X, W], {"x": X, "w": W}):
        outputs = prepared.run(inputs)
        np.testing.assert_array_equal(outputs[0], X + W)
        np.testing.assert_array_equal(outputs.negated, -(X + W))  # type: ignore[attr-defined]


def test_an_initialiser_can_be_fed() -> None:
    np.testing.assert_array_equal(onnx_backend.prepare(sum_with_weight()).run([X, -W])[0], X - W)


def test_a_list_of_the_required_length_means_the_required_inputs() -> None:
    model = sum_with_weight()
    inputs = list(model.graph.input)
    del model.graph.input[:]
    model.graph.input.extend(reversed(inputs))
    prepared = onnx_backend.prepare(model)
    np.testing.assert_array_equal(prepared.run([X])[0], X + W)
    np.testing.assert_array_equal(prepared.run([-W, X])[0], X - W)


def test_wrong_inputs_are_refused() -> None:
    prepared = onnx_backend.prepare(sum_with_weight())
    with pytest.raises(InputError, match="takes 2 inputs, got 3"):
        prepared.run([X, W, W])
    with pytest.raises(InputError, match="inputs are missing: x"):
        prepared.run({"w": W})
    with pytest.raises(InputError, match="has no input 'xx'; did you mean 'x'"):
        prepared.run({"xx": X})


def test_one_node_runs() -> None:
    node = helper.make_node("Clip", ["x", "", "high"], ["y"])
    (y,) = onnx_backend.run_node(node, [X, np.array(2, np.float32)])
    np.testing.assert_array_equal(y, [[1, 2, 2]])
    (y,) = onnx_backend.run_node(node, {"x": X, "high": np.array(1, np.float32)})
    np.testing.assert_array_equal(y, [[1, 1, 1]])


def test_a_node_of_an_older_opset_or_another_domain_runs() -> None:
    old = helper.make_node("Clip", ["x"], ["y"], max=2.0)
    np.testing.assert_array_equal(onnx_backend.run_node(old, [X], opset_version=10)[0], [[1, 2, 2]])
    binarizer = helper.make_node("Binarizer", ["x"], ["y"], domain="ai.onnx.ml", threshold=1.5)
    np.testing.assert_array_equal(onnx_backend.run_node(binarizer, [X])[0], [[0, 1, 1]])


def test_a_model_runs_in_one_call() -> None:
    np.testing.assert_array_equal(onnx_backend.run_model(sum_with_weight(), [X])[0], X + W)


def test_the_only_device_is_the_cpu() -> None:
    assert [onnx_backend.supports_device(name) for name in ("CPU", "CPU:0", "CUDA")] == [True, True, False]
