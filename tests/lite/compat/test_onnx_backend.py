"""ONNX's backend interface; `tests/suite/test_onnx_backend.py` runs ONNX's own tests."""

from __future__ import annotations

import warnings

import numpy as np
import onnx.parser
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


def test_none_is_an_optional_without_an_element() -> None:
    text = """<ir_version: 8, opset_import: ["" : 18]> g (optional(float[3]) x) => (bool y)
        { y = OptionalHasElement (x) }"""
    prepared = onnx_backend.prepare(onnx.parser.parse_model(text))
    assert [bool(prepared.run([value])[0]) for value in (X[0], None, X[0])] == [True, False, True]


def test_an_optional_sequence_goes_through_a_loop() -> None:
    """ONNX's test loop16_seq_none, whose elements without dimensions its runner cannot compare."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the cases are computed by code that warns
        # Of all ops: onnx keeps what the first call in a process asked for.
        cases = {case.name: case for case in collect_testcases(None)}
    case = cases["test_loop16_seq_none"]
    assert case.data_sets is not None
    assert case.model is not None
    inputs, (expected,) = case.data_sets[0]
    (result,) = onnx_backend.prepare(case.model).run(inputs)
    assert len(result) == len(expected)
    for got, value in zip(result, expected, strict=True):
        np.testing.assert_array_equal(got, value, strict=True)
