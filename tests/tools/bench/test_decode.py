"""Decode steps of both engines, and the page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from lite.tools.bench.decode import Row, measure, page

pytest.importorskip("onnxruntime", reason="networks are compared with ONNX Runtime")


def network(folder: Path, *, has_past: bool) -> None:
    """Joins a row to a past, and adds up what a mask of the same length leaves of it."""
    names: dict[str, list[str | int]] = {"x": ["b", 1, 3], "past": ["b", "past", 3], "mask": ["b", "total"]}
    nodes = [
        helper.make_node("Concat", ["past", "x"], ["present"], axis=1),
        helper.make_node("Unsqueeze", ["mask", "last"], ["column"]),
        helper.make_node("Mul", ["present", "column"], ["kept"]),
        helper.make_node("ReduceSum", ["kept"], ["y"], keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in names.items()],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("y", "present")],
        [helper.make_tensor("last", TensorProto.INT64, [1], [2])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, folder / "model.onnx")
    dynamic = {"past": {"1": "past" if has_past else "rows"}, "mask": {"1": "total"}}
    (folder / "meta.json").write_text(json.dumps({"dynamic": dynamic}), encoding="utf-8")
    arrays = {"x": np.ones((1, 1, 3)), "past": np.ones((1, 4, 3)), "mask": np.ones((1, 5))}
    np.savez(folder / "reference.npz", **{f"in.{k}": v.astype(np.float32) for k, v in arrays.items()})  # type: ignore[arg-type]


def test_steps_of_both_engines_take_time(tmp_path: Path) -> None:
    network(tmp_path, has_past=True)

    row = measure(tmp_path, steps=12)

    assert row is not None
    assert row.name == tmp_path.name
    assert min(row.copied, row.in_place, row.peer, row.bound_peer) > 0


def test_a_network_without_a_past_has_no_row(tmp_path: Path) -> None:
    network(tmp_path, has_past=False)

    assert measure(tmp_path, steps=12) is None


def test_the_page_has_the_ratios_to_the_faster_way() -> None:
    text = page([Row("a", 5, 4, 8, 10), Row("b", 5, 4, 2, 1)], steps=20)

    assert "| a | 5.00 | 4.00 | 8.00 | 10.00 | 0.50 |" in text
    assert "| b | 5.00 | 4.00 | 2.00 | 1.00 | 4.00 |" in text
    assert "| all | | | | | 1.41 |" in text
