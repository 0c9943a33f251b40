"""Small valid models of each format, as files."""

from __future__ import annotations

import functools
import random
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import onnx

import lite
from tests.model_parser.paddle.pir.builder import PirBuilder, noise, tensor
from tests.model_parser.paddlelite_nb.models import models as naive_models
from tests.model_parser.paddlelite_nb.writer import naive_buffer
from tests.model_parser.pnnx import models as pnnx_models
from tests.model_parser.tflite.models import float_cases, quantised_cases
from tests.support.data_folders import OWN, SHARED

MOST_BYTES = 40_000
MOST_ARTIFACT_BYTES = 80_000


@dataclass(frozen=True)
class Sample:
    """A model by the names of its files; `model` is the one to load, and `params` that of its parameters."""

    files: Mapping[str, bytes]
    model: str
    params: str | None = None

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(map(len, self.files.values()))


def _paddle() -> Iterator[Sample]:
    for path in sorted((OWN / "op_cases").glob("*.zip")):
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.endswith(".pdmodel")]
            for name in names[:: max(len(names) // 6, 1)]:
                params = name.replace(".pdmodel", ".pdiparams")
                content = archive.read(params) if params in archive.namelist() else b""
                files = {"m.pdmodel": archive.read(name), "m.pdiparams": content}
                yield Sample(files, "m.pdmodel", "m.pdiparams" if content else None)


def _pir() -> Iterator[Sample]:
    for build in (_pir_dense, _pir_shapes, _pir_branches):
        builder = build()
        yield Sample({"m.json": builder.json(), "m.pdiparams": builder.params()}, "m.json", "m.pdiparams")
    for path in sorted((SHARED / "models" / "pir").glob("*/inference.json")):
        files = {"m.json": path.read_bytes(), "m.pdiparams": path.with_suffix(".pdiparams").read_bytes()}
        yield Sample(files, "m.json", "m.pdiparams")


def _pir_dense() -> PirBuilder:
    builder = PirBuilder()
    product = builder.one(
        "matmul",
        builder.data("x", noise(2, 3)),
        builder.parameter("w", noise(3, 4)),
        result=tensor("float32", [2, 4]),
        attrs={"transpose_x": False, "transpose_y": False},
    )
    total = builder.one("add", product, builder.parameter("b", noise(4)))
    return builder.fetch(builder.one("softmax", builder.one("relu", total), attrs={"axis": -1}))


def _pir_shapes() -> PirBuilder:
    builder = PirBuilder()
    x = builder.data("x", noise(2, 6))
    reshaped = builder.one("reshape", x, builder.ints(3, 4), result=tensor("float32", [3, 4]))
    transposed = builder.one("transpose", reshaped, result=tensor("float32", [4, 3]), attrs={"perm": [1, 0]})
    scaled = builder.one(
        "scale", transposed, builder.full(2.0), attrs={"bias": 1.0, "bias_after_scale": True}
    )
    return builder.fetch(scaled, transposed)


def _pir_branches() -> PirBuilder:
    builder = PirBuilder()
    x = builder.data("x", noise(2, 3))
    parts = builder.combine(x, builder.one("sigmoid", x))
    joined = builder.op("1.concat", [parts, builder.full(0, dtype="int32")], [tensor("float32", [4, 3])])[0]
    return builder.fetch(builder.one("gelu", joined, attrs={"approximate": False}))


def _onnx() -> Iterator[Sample]:
    from lite.tools.fuzz.graph import generate

    for seed in range(60):
        case = generate(random.Random(seed), str(seed))
        if case is None:
            continue
        if seed % 3 or not case.model.graph.initializer:
            yield Sample({"m.onnx": case.model.SerializeToString()}, "m.onnx")
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "m.onnx")
            onnx.save(case.model, path, save_as_external_data=True, location="m.data", size_threshold=0)
            yield Sample({each.name: each.read_bytes() for each in Path(folder).iterdir()}, "m.onnx")


_CONV = (
    "nn.Conv2d conv 1 1 0 1 bias=True dilation=(1,1) groups=1 in_channels=3 kernel_size=(3,3) "
    "out_channels=4 padding=(1,1) padding_mode=zeros stride=(1,1) @bias=(4)f32 @weight=(4,3,3,3)f32"
)


def _pnnx() -> Iterator[Sample]:
    lines = [
        "pnnx.Input in 0 1 0 #0=(2,3,8,8)f32",
        _CONV,
        "nn.ReLU relu 1 1 1 2",
        "pnnx.Expression sum 2 1 1 2 3 expr=add(@0,mul(@1,2.0))",
        "torch.flatten flat 1 1 3 4 end_dim=-1 start_dim=1 $input=3",
        "pnnx.Output out 1 0 4",
    ]
    weights = {"conv.weight": noise(4, 3, 3, 3), "conv.bias": noise(4)}
    text = pnnx_models.param(lines).encode()
    yield Sample({"m.param": text, "m.bin": pnnx_models.archive(weights)}, "m.param", "m.bin")
    for path in sorted((SHARED / "models" / "pnnx").glob("*.param")):
        files = {"m.param": path.read_bytes(), "m.bin": path.with_suffix(".bin").read_bytes()}
        yield Sample(files, "m.param", "m.bin")


def _tflite() -> Iterator[Sample]:
    for case in (*float_cases(), *quantised_cases()):
        yield Sample({"m.tflite": case.model}, "m.tflite")


def _nb() -> Iterator[Sample]:
    for model in naive_models():
        for layout in range(3):
            yield Sample({"m.nb": naive_buffer(model, layout)}, "m.nb")
    for path in sorted((SHARED / "models" / "paddlelite_nb").glob("*/*.nb")):
        yield Sample({"m.nb": path.read_bytes()}, "m.nb")


def _artifact() -> Iterator[Sample]:
    cpu: Mapping[str, object] = {}
    folders = [(path, cpu) for path in sorted((OWN / "models").glob("*")) if path.is_dir()]
    models = [*folders, *[(path, {"devices": ["sim_npu"]}) for path, _ in folders[::2]]]
    with tempfile.TemporaryDirectory() as scratch:
        for sample in list(_onnx())[:12]:
            path = Path(scratch, f"{len(models)}.onnx")
            path.write_bytes(sample.files["m.onnx"])
            if len(sample.files) == 1:
                models.append((path, {"valid_places": ["host"]} if len(models) % 2 else cpu))
        for number, (path, settings) in enumerate(models):
            target = Path(scratch, "m.lbm")
            try:
                # A third of them have compressed weights.
                config = lite.Config(path, **settings)  # type: ignore[arg-type]
                lite.save_artifact(config, target, compress=number % 3 == 2)
            except lite.LiteError:
                continue  # a generated model that no engine takes
            yield Sample({"m.lbm": target.read_bytes()}, "m.lbm")


FORMATS: Mapping[str, Callable[[], Iterator[Sample]]] = {
    "paddle": _paddle,
    "pir": _pir,
    "onnx": _onnx,
    "pnnx": _pnnx,
    "tflite": _tflite,
    "nb": _nb,
    "artifact": _artifact,
}
"""The formats, and their samples."""


@functools.cache
def samples(name: str) -> list[Sample]:
    """The small samples of a format."""
    most = MOST_ARTIFACT_BYTES if name == "artifact" else MOST_BYTES
    return [each for each in FORMATS[name]() if each.size <= most]
