"""Writes docs/benchmarks/c_target.md: generated C against ONNX Runtime, and on emulated boards.

python -m lite.tools.bench.c_target > docs/benchmarks/c_target.md
"""

from __future__ import annotations

import functools
import importlib.util
import math
import re
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
import onnx

import lite
from lite.codegen import Export, export_c
from lite.config import Config
from lite.ir.types import Array
from lite.ops.program_graph import program_graph
from lite.tools.bench.run_by_host import run_by_host

_ROUNDS = 8
_RUNS = 5
_BOARDS = ("mps2-an385", "mps2-an386", "mps3-an547")
_TICK_NS = {"mps2-an385": 40.0, "mps2-an386": 40.0, "mps3-an547": 31.25}
"""Nanoseconds, and so instructions, of a tick of SysTick in QEMU with -icount shift=0."""


class Net:
    """An ONNX graph of convolutions with random weights."""

    def __init__(self, channels: int = 3) -> None:
        self.rng = np.random.default_rng(0)
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self.channels = channels
        self.last = "x"

    def add(self, kind: str, *inputs: str, **attrs: Any) -> str:
        """Append a node; its output becomes the last value."""
        self.last = f"v{len(self.nodes)}"
        self.nodes.append(onnx.helper.make_node(kind, inputs, [self.last], **attrs))
        return self.last

    def weight(self, *shape: int) -> str:
        """A weight of He's scale."""
        name = f"w{len(self.weights)}"
        scale = np.sqrt(2 / max(math.prod(shape[1:]), 1))
        array = (self.rng.standard_normal(shape) * scale).astype(np.float32)
        self.weights.append(onnx.numpy_helper.from_array(array, name))
        return name

    def conv(self, x: str, outputs: int, size: int, stride: int = 1, *, deep: bool = False) -> str:
        """A convolution with bias; with `deep`, a filter for each channel."""
        group = self.channels if deep else 1
        w, b = self.weight(outputs, self.channels // group, size, size), self.weight(outputs)
        pads = [size // 2] * 4
        self.channels = outputs
        return self.add("Conv", x, w, b, strides=[stride] * 2, pads=pads, group=group)

    def relu(self) -> str:
        """A relu of the last value."""
        return self.add("Relu", self.last)

    def model(self, image: Sequence[int], classes: int) -> onnx.ModelProto:
        """The model with a mean and a matrix product at its end."""
        self.add("Flatten", self.add("GlobalAveragePool", self.last))
        self.add("Gemm", self.last, self.weight(self.channels, classes), self.weight(classes))
        kind = onnx.TensorProto.FLOAT
        info = onnx.helper.make_tensor_value_info
        graph = onnx.helper.make_graph(
            self.nodes, "net", [info("x", kind, image)], [info(self.last, kind, [1, classes])], self.weights
        )
        return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8)


def mobilenet(size: int, width: float, classes: int) -> onnx.ModelProto:
    """MobileNet v1 (A. Howard et al., 2017)."""
    net = Net()
    net.conv("x", int(32 * width), 3, 2)
    net.relu()
    blocks = [
        (64, 1),
        (128, 2),
        (128, 1),
        (256, 2),
        (256, 1),
        (512, 2),
        *[(512, 1)] * 5,
        (1024, 2),
        (1024, 1),
    ]
    for channels, stride in blocks:
        net.conv(net.last, net.channels, 3, stride, deep=True)
        net.relu()
        net.conv(net.last, int(channels * width), 1)
        net.relu()
    return net.model([1, 3, size, size], classes)


def resnet18(size: int) -> onnx.ModelProto:
    """ResNet-18 (K. He et al., 2015)."""
    net = Net()
    net.conv("x", 64, 7, 2)
    net.add("MaxPool", net.relu(), kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    for channels, stride in [(64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)]:
        source, before = net.last, net.channels
        shortcut = source if before == channels else net.conv(source, channels, 1, stride)
        net.channels = before
        net.conv(source, channels, 3, stride)
        main = net.conv(net.relu(), channels, 3)
        net.add("Add", main, shortcut)
        net.relu()
    return net.model([1, 3, size, size], 1000)


def keywords() -> onnx.ModelProto:
    """A network as large as those that spot keywords: 49 frames of 10 features, four separable blocks."""
    net = Net(channels=1)
    net.conv("x", 64, 5, 2)
    net.relu()
    for _ in range(4):
        net.conv(net.last, 64, 3, deep=True)
        net.relu()
        net.conv(net.last, 64, 1)
        net.relu()
    return net.model([1, 1, 49, 10], 12)


@click.command()
@click.option("--quantised", type=(str, click.Path(path_type=Path)), multiple=True, metavar="NAME MODEL")
@click.option("--only-boards", is_flag=True, help="Print the table of boards alone.")
def main(quantised: Sequence[tuple[str, Path]], only_boards: bool) -> None:
    """Print the page; models of `--quantised` run on boards, too."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        if only_boards:
            click.echo(table(_BOARD_HEADER, _boards(folder, dict(quantised))))
        else:
            click.echo(_page(_speed(folder), _boards(folder, dict(quantised))))


def _speed(folder: Path) -> list[list[str]]:
    rows, ratios = [], []
    for name, (path, shape) in models(folder).items():
        x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
        session = _session(path)
        key = session.get_inputs()[0].name
        export = export_c(Config(model_file=path, input_shapes={key: shape}), folder / name, name=name)
        began = _compiler_seconds()
        subprocess.run(["make", "-s", "-C", str(folder / name)], check=True)
        compiled = _compiler_seconds() - began
        peer, own = _interleaved(functools.partial(session.run, None, {key: x}), folder / name, export, x)
        ratios.append(own / peer)
        code = subprocess.run(
            ["size", str(folder / name / "model.o")], capture_output=True, text=True, check=True
        )
        text = code.stdout.split("\n")[1].split()[0]
        rows.append(
            [name, f"{peer:.2f}", f"{own:.2f}", f"{own / peer:.2f}", str(export.arena // 1024),
             str(int(text) // 1024), f"{compiled:.0f}"]
        )  # fmt: skip
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return [*rows, ["geometric mean", "", "", f"{mean:.2f}", "", "", ""]]


def _compiler_seconds() -> float:
    """CPU time of the programs that ended so far."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def models(folder: Path) -> dict[str, tuple[Path, tuple[int, ...]]]:
    """The path of each model that is timed, and the shape of its input; written to `folder` where needed."""
    found: dict[str, tuple[Path, tuple[int, ...]]] = {}
    spec = importlib.util.find_spec("rapidocr_onnxruntime")
    if spec is not None and spec.submodule_search_locations:
        packaged = Path(spec.submodule_search_locations[0]) / "models"
        found = {
            "det": (packaged / "ch_PP-OCRv4_det_infer.onnx", (1, 3, 640, 640)),
            "rec": (packaged / "ch_PP-OCRv4_rec_infer.onnx", (1, 3, 48, 320)),
            "cls": (packaged / "ch_ppocr_mobile_v2.0_cls_infer.onnx", (1, 3, 48, 192)),
        }
    for name, model in (("mobilenet", mobilenet(224, 1.0, 1000)), ("resnet18", resnet18(224))):
        onnx.save(model, folder / f"{name}.onnx")
        found[name] = folder / f"{name}.onnx", (1, 3, 224, 224)
    return found


def _session(path: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _interleaved(peer: Callable[[], object], folder: Path, export: Export, x: Array) -> tuple[float, float]:
    """The least CPU times in milliseconds of a peer and of the generated program, by turns."""
    x.tofile(folder / "x.bin")
    outputs = [str(folder / f"y{n}.bin") for n in range(len(export.outputs))]
    command = [str(folder / export.name), "--runs", str(_RUNS), str(folder / "x.bin"), *outputs]
    best, own = math.inf, math.inf
    for _ in range(_ROUNDS):
        for _ in range(_RUNS):
            began = time.process_time()
            peer()
            best = min(best, time.process_time() - began)
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        own = min(own, float(printed.split()[0]))
    return best * 1e3, own


def _boards(folder: Path, quantised: Mapping[str, Path]) -> list[list[str]]:
    if shutil.which("qemu-system-arm") is None or shutil.which("arm-none-eabi-gcc") is None:
        return []
    rows = []
    nets = {"mobilenet v1 0.25 at 96²": mobilenet(96, 0.25, 10), "keywords": keywords()}
    models = {label: _quantised(model, folder / f"{label}.onnx") for label, model in nets.items()}
    for label, path in {**models, **quantised}.items():
        [spec] = program_graph(lite.load_program(path)).args
        shape = tuple(size if isinstance(size, int) and size > 0 else 1 for size in spec.shape or ())
        config = Config(path, input_shapes={spec.name: shape})
        x = np.random.default_rng(2).standard_normal(shape).astype(np.float32)
        for board in _BOARDS:
            rows.append([label, board, *_on_board(config, board, folder / "board", x)])
    return rows


def _quantised(model: onnx.ModelProto, path: Path) -> Path:
    shape = [dim.dim_value for dim in model.graph.input[0].type.tensor_type.shape.dim]
    rng = np.random.default_rng(1)
    samples = [{"x": rng.standard_normal(shape).astype(np.float32)} for _ in range(4)]
    onnx.save(model, path.with_suffix(".float.onnx"))
    lite.quantize(path.with_suffix(".float.onnx"), samples, path, layers="all")
    return path


def _on_board(config: Config, board: str, folder: Path, x: Array) -> list[str]:
    """Flash, code and RAM in KB, million instructions, and whether the bits are the host's."""
    export = export_c(config, folder, "cortex-m", name="net")
    x.tofile(folder / "input_0.bin")
    command = ["make", "-s", "-C", str(folder), "run", f"BOARD={board}"]
    # QEMU writes the program's text to the standard error.
    printed = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
    ).stdout
    found = re.search(r"(\d+)\s+\d+\s+(\d+)\s+\d+\s+\w+\s+net\.elf", printed)
    ticks = re.search(r"ticks (\d+)", printed)
    if found is None or ticks is None:
        raise RuntimeError(printed)
    on_board = np.fromfile(folder / "output_0.bin", np.float32)
    [(name, _)] = (config.input_shapes or {}).items()
    [expected] = run_by_host(config, {name: x})
    same = np.array_equal(on_board, expected.reshape(-1))
    millions = int(ticks[1]) * _TICK_NS[board] / 1e6
    code = (int(found[1]) - export.weights) / 1024
    return [
        f"{int(found[1]) / 1024:.0f}",
        f"{code:.0f}",
        f"{int(found[2]) / 1024:.0f}",
        f"{millions:.1f}",
        str(same),
    ]


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _page(speed: Sequence[Sequence[str]], boards: Sequence[Sequence[str]]) -> str:
    timed = ("model", "ONNX Runtime", "C", "ratio", "arena KB", "code KB", "compiler s")
    return "\n\n".join([_HEAD, table(timed, speed), _MIDDLE, table(_BOARD_HEADER, boards)])


_BOARD_HEADER = ("model", "board", "flash KB", "of it code", "RAM KB", "million instructions", "same bits")


_HEAD = """# Models as C

Written by `python -m lite.tools.bench.c_target`. [The guide](../guide/c_export.md) shows how to write a model
as C.

## Speed

float32, batch 1, one thread, gcc with the generated Makefile; least CPU time in milliseconds of interleaved
runs."""

_MIDDLE = """## Boards

int8, in QEMU: networks by `lite.quantize(layers="all")`, and a CNN that Paddle quantised. Flash has code and
weights, RAM the arena, inputs and outputs; instructions are those of one run. The last column says whether
the results have the bits of the host's int8 kernels, on the machine that wrote this page."""


if __name__ == "__main__":
    main()
