"""Models that `litebridge convert` and `export` write."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

import lite
from lite.ir.types import DType
from tests.support.small_programs import make_program
from tests.tools.tiny_model import X, call, call_json, reference

pytest.importorskip("onnxruntime", reason="ONNX Runtime runs the written models")


def test_a_paddle_model_becomes_an_onnx_model(workplace: Path) -> None:
    result = call_json("convert", "model_dir", "model.onnx", "--shape", "x=2,4")

    size = result.pop("bytes")
    assert size["weights"] == 60
    assert size["written"] == Path("model.onnx").stat().st_size
    (output,) = result.pop("outputs")
    assert (output["name"], output["problem"]) == ("y", None)
    assert result == {
        "source": "model_dir/inference.pdmodel",
        "source_format": "paddle",
        "format": "onnx",
        "written": ["model.onnx"],
        "ops": {"as loaded": 3, "cleaned": 3, "written": 3},
        "details": {"opset": 21, "ir_version": 10},
        "unchecked": None,
        "types": {"elementwise_add": 1, "mul": 1, "relu": 1},
        "differs": False,
    }
    onnx.checker.check_model("model.onnx", full_check=True)


def test_a_model_survives_a_round_trip(workplace: Path) -> None:
    call_json("convert", "model_dir", "model.onnx", "--no-check")
    result = call_json("convert", "model.onnx", "back", "--input", "x=x.npy")

    assert (result["source_format"], result["format"], result["ops"]["cleaned"]) == ("onnx", "paddle", None)
    assert [each["problem"] for each in result["outputs"]] == [None]
    predictor = lite.create_predictor(lite.Config("back"))
    np.testing.assert_allclose(predictor.run({"x": X})["y"], reference(X), rtol=1e-6)


def test_the_output_describes_the_conversion(workplace: Path) -> None:
    lines = call("convert", "model_dir", "model.onnx", "--shape", "x=2,4").stdout.splitlines()

    assert lines[:5] == [
        "model          model_dir/inference.pdmodel",
        "from           paddle",
        "to             onnx",
        "opset          21",
        "ir_version     10",
    ]
    assert lines[-1] == "wrote model.onnx"
    assert lines[-2].split()[0] == "y"
    assert lines[-2].split()[-1] == "equal"


def test_without_a_shape_for_open_sizes_nothing_is_compared(workplace: Path) -> None:
    result = call_json("convert", "model_dir", "model.onnx")

    assert result["outputs"] == []
    assert result["unchecked"].startswith(
        "input 'x' is float32[?,4]: the model leaves sizes open; give a shape"
    )


def test_input_shape_names_sizes(workplace: Path) -> None:
    call_json("export", "model_dir", "model.onnx", "--input-shape", "x=rows,4", "--no-check")

    (x,) = onnx.load("model.onnx").graph.input
    assert [dim.dim_param or dim.dim_value for dim in x.type.tensor_type.shape.dim] == ["rows", 4]


def test_input_shape_of_a_paddle_model_changes_the_declared_shapes(workplace: Path) -> None:
    result = call_json("convert", "model_dir", "out", "--input-shape", "x=2,4")

    assert (result["differs"], result["unchecked"]) == (False, None)
    main = lite.load_program("out").blocks[0]
    assert {name: main.vars[name].shape for name in ("x", "xw", "sum", "y", "w")} == {
        "x": (2, 4),
        "xw": (2, 3),
        "sum": (2, 3),
        "y": (2, 3),
        "w": (4, 3),
    }


@pytest.mark.parametrize("name", ["out.tflite", "out.pt", "out.onxn"])
def test_an_ending_without_a_format_is_refused(workplace: Path, name: str) -> None:
    result = call("convert", "model_dir", name)

    assert result.exit_code == 1
    assert result.stderr.startswith(f"litebridge: {name}: no format is written to files that end with ")
    assert not Path(name).exists()


def test_an_onnx_file_has_its_ending(workplace: Path) -> None:
    for command in (
        ("export", "model_dir", "out.tflite"),
        ("convert", "model_dir", "out.pt", "--format", "onnx"),
    ):
        result = call(*command)
        assert result.exit_code == 1
        assert "write a name with .onnx" in result.stderr
    assert call_json("export", "model_dir", "out", "--no-check")["written"] == ["out/model.onnx"]


@pytest.mark.parametrize("name", ["model.v2", "v4.0_det", "plain"])
def test_a_folder_may_have_a_dot_in_its_name(workplace: Path, name: str) -> None:
    Path("model.v2").mkdir()

    assert call_json("convert", "model_dir", name, "--no-check")["format"] == "paddle"


def test_an_image_model_is_checked_on_an_image(workplace: Path) -> None:
    scale = ("scale", {"X": ["x"]}, {"Out": ["y"]}, {"scale": 1e-9})
    lite.save_program(make_program({"x": (DType.FLOAT32, (1, 3, 32, 32))}, {}, [scale], ["y"]), "image")
    Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    Image.new("RGB", (50, 40), "red").save("photo.png")

    for arguments in ((), ("--input", "x=photo.png")):
        [output] = call_json("convert", "image", "new.onnx", *arguments)["outputs"]
        assert (output["name"], output["problem"]) == ("y", None)


def test_a_directory_receives_model_onnx(workplace: Path) -> None:
    result = call_json("export", "model_dir", "out", "--no-check")

    assert (result["written"], result["unchecked"]) == (["out/model.onnx"], "--no-check")


def test_ops_that_onnx_lacks_are_listed(workplace: Path) -> None:
    program = make_program(
        {"x": (DType.FLOAT32, (4,))}, {}, [("cumprod", {"X": ["x"]}, {"Out": ["y"]}, {"dim": 0})], ["y"]
    )
    lite.save_program(program, "other")

    result = call("export", "other", "new.onnx")

    assert result.exit_code == 1
    assert "1 kinds of ops cannot be written as ONNX: cumprod (1x, y)" in result.stderr
    assert not Path("new.onnx").exists()


def test_help_has_examples(workplace: Path) -> None:
    for command in ("convert", "export"):
        text = call(command, "--help").stdout
        assert "Examples:" in text
        assert f"litebridge {command} model_dir model.onnx --shape x=2,4" in text
