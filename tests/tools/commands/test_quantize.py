"""`litebridge quantize`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from tests.tools.tiny_model import X, call, call_json, reference


@pytest.fixture
def data(workplace: Path) -> Path:
    np.savez(workplace / "data.npz", x=X)
    return workplace / "data.npz"


def test_the_written_model_is_near_the_float_model(data: Path) -> None:
    result = call_json("quantize", "model_dir", "--data", data, "-o", "int8", "--method", "min_max")

    assert result["files"] == ["int8/inference.pdiparams", "int8/inference.pdmodel"]
    assert [(each["name"], each["quantized"]) for each in result["layers"]] == [("xw", True)]
    assert (result["format"], result["samples"]) == ("paddle", 2)
    assert result["activations"]["x"]["step"] == pytest.approx(4 / 127)
    (output,) = result["outputs"]
    assert output["sqnr"] > 30
    got = lite.create_predictor(lite.Config("int8")).run({"x": X})["y"]
    np.testing.assert_allclose(got, reference(X), atol=0.2)


def test_an_onnx_model_becomes_a_file(data: Path) -> None:
    result = call_json("quantize", "other.onnx", "--data", data, "-o", "int8.onnx")

    assert (result["format"], result["files"]) == ("onnx", ["int8.onnx"])


def test_the_output_lists_layers_in_float(data: Path) -> None:
    lines = call("quantize", "model_dir", "--weights-only", "-o", "int8").stdout.splitlines()
    assert lines[:3] == ["format     paddle", "samples    0", "quantised  1 mul"]

    failed = call("quantize", "model_dir", "--data", data, "-o", "int8", "--keep", "mul")
    assert failed.exit_code == 1
    assert "no layer is left to quantise: xw: the user keeps it" in failed.stderr


def test_a_plan_is_written_and_read(data: Path) -> None:
    call_json("quantize", "model_dir", "--data", data, "-o", "int8", "--write-plan", "plan.txt")
    assert Path("plan.txt").read_text().splitlines()[1].split() == ["quantized", "xw", "#", "mul"]

    result = call_json("quantize", "model_dir", "--data", data, "-o", "int8", "--plan", "plan.txt")
    assert [each["quantized"] for each in result["layers"]] == [True]


def test_a_wrong_input_is_one_message(data: Path) -> None:
    np.savez("data.npz", x=X.astype(np.float64))

    result = call("quantize", "model_dir", "--data", "data.npz", "-o", "int8")

    assert result.exit_code == 1
    assert result.stderr == (
        "litebridge: calibration data, data.npz, rows 0 to 0: input 'x': expected dtype float32, got "
        "float64; convert it with array.astype('float32')\n"
    )
