"""The measurement of whole processes, and the page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite.tools.bench.first_runs import Process, Row, measure, page, run_process
from lite.tools.bench.sweep.case import Model

pytest.importorskip("onnxruntime", reason="networks are compared with ONNX Runtime")
pytest.importorskip("openvino", reason="the peers of the benchmarks are both engines")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux states the memory of a process")


def test_processes_of_both_engines_take_time_and_memory(tmp_path: Path) -> None:
    model = Model()
    model.save(tmp_path / "model.onnx", [model.op("Neg", model.input(2, 3))])
    [x] = model.inputs.values()
    arrays: dict[str, Any] = {"in.x0": x, "out.v0": -x}
    np.savez(tmp_path / "reference.npz", **arrays)

    row = measure(tmp_path, processes=1)

    assert row.name == tmp_path.name
    assert min(row.reading.milliseconds, row.ours.milliseconds, row.peer.milliseconds) > 0
    assert 0 < row.reading.memory < min(row.ours.memory, row.peer.memory)


def test_a_process_that_fails_raises(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError, match="exit status 3"):
        run_process("raise SystemExit(3)", tmp_path, "auto")


def test_the_page_has_the_mean_of_the_ratios() -> None:
    rows = [
        Row("a", Process(50, 20), Process(300, 90), Process(100, 100)),
        Row("b", Process(50, 20), Process(300, 40), Process(400, 100)),
    ]

    text = page(rows, processes=3)

    assert "| a | 50 | 300 | 100 | 3.00 | 0.90 |" in text
    assert "| b | 50 | 300 | 400 | 0.75 | 0.40 |" in text
    assert "| all | | | | 1.50 | 0.60 |" in text
