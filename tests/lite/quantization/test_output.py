"""Where a quantised model goes: an artifact computes what the model in its own format computes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from tests.lite.quantization.models import program, samples, save_onnx


@pytest.mark.parametrize("form", ["paddle", "onnx"])
def test_an_artifact_equals_the_model_of_the_format(form: str, tmp_path: Path) -> None:
    if form == "paddle":
        model, other = tmp_path / "float", tmp_path / "int8"
        lite.save_program(program(), model)
    else:
        model, other = save_onnx(tmp_path / "float.onnx"), tmp_path / "int8.onnx"
    written = lite.quantize(model, samples(), tmp_path / "int8.lbm")
    lite.quantize(model, samples(), other)

    results = [
        list(lite.create_predictor(lite.Config(path)).run(samples()[0]).values())
        for path in (tmp_path / "int8.lbm", other)
    ]

    assert written.files == [tmp_path / "int8.lbm"]
    assert len(results[0]) == 1
    np.testing.assert_array_equal(results[0][0], results[1][0])
