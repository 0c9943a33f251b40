"""The measurement of a network in a folder, and the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite.tools.bench.sweep.case import Model
from lite.tools.bench.zoo import Row, measure, page

pytest.importorskip("onnxruntime", reason="networks are compared with ONNX Runtime")
pytest.importorskip("openvino", reason="networks are compared with OpenVINO")


def write(folder: Path, scale: float) -> None:
    model = Model()
    model.save(folder / "model.onnx", [model.op("Neg", model.input(2, 3))])
    [x] = model.inputs.values()
    arrays: dict[str, Any] = {"in.x0": x, "out.v0": -x * np.float32(scale)}
    np.savez(folder / "reference.npz", **arrays)
    (folder / "meta.json").write_text(json.dumps({"family": "other"}))


def test_a_network_is_timed_where_answers_are_right(tmp_path: Path) -> None:
    write(tmp_path, 1.0)

    row = measure(tmp_path, threads=1, rounds=1, seconds=0.001)

    assert (row.name, row.family) == (tmp_path.name, "other")
    assert sorted(row.milliseconds) == ["ONNX Runtime", "OpenVINO", "litebridge"]


def test_wrong_answers_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, 2.0)

    row = measure(tmp_path, threads=1, rounds=1, seconds=0.001)

    assert row.milliseconds == {}
    assert row.left_out["litebridge"] == "differs by 5.0e-01"


def test_the_page_has_means_of_families() -> None:
    rows = [
        Row("a", "cnn", {"litebridge": 2.0, "ONNX Runtime": 1.0, "OpenVINO": 4.0}, {}),
        Row("b", "cnn", {"litebridge": 2.0, "ONNX Runtime": 4.0}, {"OpenVINO": "no"}),
    ]

    text = page(rows, threads=1)

    assert "| cnn | 2 | 1.00 | 0.50 | 1.00 |" in text
    assert "| b | cnn | 2.00 | 4.00 | – | 0.50 |" in text
