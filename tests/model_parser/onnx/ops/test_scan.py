"""Scan, with and without a batch axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.control_models import info, model_of
from tests.model_parser.onnx.node_models import run

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def _scan(opset: int, **attrs: Any) -> onnx.ModelProto:
    body = helper.make_graph(
        [helper.make_node("Add", ["s", "x"], ["t"]), helper.make_node("Identity", ["t"], ["u"])],
        "body",
        [info("s", FLOAT, [2]), info("x", FLOAT, [2])],
        [info("t", FLOAT, [2]), info("u", FLOAT, [2])],
    )
    node = helper.make_node("Scan", ["s0", "xs"], ["last", "all"], body=body, num_scan_inputs=1, **attrs)
    return model_of([node], [info("s0", FLOAT, [2]), info("xs", FLOAT, [2, 3])], ["last", "all"], opset)


@pytest.mark.parametrize("backward", [0, 1])
def test_scan(backward: int) -> None:
    start, rows = np.array([1, 2], np.float32), np.arange(6, dtype=np.float32).reshape(2, 3)
    model = _scan(
        17,
        scan_input_axes=[1],
        scan_output_axes=[-1],
        scan_input_directions=[backward],
        scan_output_directions=[backward],
    )

    found = run(model, {"s0": start, "xs": rows})

    columns: list[Array] = list(rows.T)
    sums = start + np.cumsum(columns[::-1] if backward else columns, axis=0)
    np.testing.assert_array_equal(found["last"], sums[-1])
    np.testing.assert_array_equal(found["all"], (sums[::-1] if backward else sums).T)


def _batched(lengths: bool, **attrs: Any) -> onnx.ModelProto:
    """The form of opset 8: states and scanned inputs begin with a batch axis."""
    body = helper.make_graph(
        [helper.make_node("Add", ["s", "x"], ["t"]), helper.make_node("Mul", ["t", "k"], ["u"])],
        "body",
        [info("s", FLOAT, [3]), info("x", FLOAT, [3])],
        [info("t", FLOAT, [3]), info("u", FLOAT, [3])],
    )
    names = ["lengths" if lengths else "", "s0", "xs"]
    node = helper.make_node("Scan", names, ["last", "all"], body=body, num_scan_inputs=1, **attrs)
    inputs = [info("s0", FLOAT, [2, 3]), info("xs", FLOAT, [2, 4, 3]), info("k", FLOAT, [])]
    inputs += [info("lengths", INT64, [2])] if lengths else []
    return model_of([node], inputs, ["last", "all"], 8)


@pytest.mark.parametrize("backward", [None, 0, 1])
def test_scan_with_a_batch(backward: int | None) -> None:
    source = np.random.default_rng(0)
    start, rows = (
        source.normal(size=(2, 3)).astype(np.float32),
        source.normal(size=(2, 4, 3)).astype(np.float32),
    )
    model = _batched(False, **({} if backward is None else {"directions": [backward]}))

    found = run(model, {"s0": start, "xs": rows, "k": np.array(2, np.float32)})

    sums = start[:, None] + np.cumsum(rows[:, ::-1] if backward else rows, axis=1)
    np.testing.assert_allclose(found["last"], sums[:, -1], rtol=1e-6)
    np.testing.assert_allclose(found["all"], 2 * sums, rtol=1e-6)


def test_scan_with_lengths_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"\(Scan\): sequence_lens is not supported; convert the model"):
        run(_batched(True), {})
