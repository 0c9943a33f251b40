"""The page of first results: medians of processes, and ratios of the first ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.tools.bench.first_result import Row, Start, measure, page
from lite.tools.demo.ppocr_models import OcrModel
from tests.support.small_convnet import convnet

MODEL = OcrModel("small", Path("m"), Path("m.onnx"), (1, 3, 8, 8))


def test_the_page_has_times_and_the_ratio_of_first_results() -> None:
    row = Row(MODEL, Start(0.01, 0.03, 0.02), Start(0.02, 0.06, 0.05))
    assert "| small | 10.0 | 30.0 | 20.0 | 10.0 | 20.0 | 60.0 | 50.0 | 0.50 |" in page([row], 3)


def test_both_engines_start_in_processes_of_their_own(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    lite.save_program(convnet(), tmp_path / "model")
    lite.save_program(convnet(), tmp_path / "model.onnx", format="onnx")
    model = OcrModel("small", tmp_path / "model", tmp_path / "model.onnx", (1, 3, 8, 8))
    row = measure(model, 1)
    for start in (row.ours, row.peer):
        assert 0 < start.loaded < start.first
        assert np.isclose(start.beyond, start.first - start.run)
