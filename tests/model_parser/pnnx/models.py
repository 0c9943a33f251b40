"""Small PNNX models in memory."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

import numpy as np

import lite
from lite.ir.program import Program
from lite.ir.types import Array
from lite.model_parser.pnnx.parser import PnnxParser
from lite.plugin.format import ModelSource


def archive(entries: Mapping[str, Array], *, zip64: bool = False) -> bytes:
    """A ``.pnnx.bin`` with these weights; with `zip64`, with 64-bit sizes as current PNNX writes them."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive_file:
        for name, array in entries.items():
            with archive_file.open(zipfile.ZipInfo(name), "w", force_zip64=zip64) as entry:
                entry.write(array.tobytes())
    return file.getvalue()


def param(lines: Sequence[str]) -> str:
    """A ``.pnnx.param`` text with these operators and their counts."""
    operands = sum(int(line.split()[3]) for line in lines)
    return "\n".join(["7767517", f"{len(lines)} {operands}", *lines, ""])


def source(lines: Sequence[str], weights: Mapping[str, Array] | None = None) -> ModelSource:
    """A model of these operators and weights."""
    return ModelSource(model=param(lines).encode(), params=archive(weights or {}))


def parse(lines: Sequence[str], weights: Mapping[str, Array] | None = None) -> Program:
    """The program of a model."""
    return PnnxParser().parse(source(lines, weights))


def run(
    lines: Sequence[str], inputs: Sequence[Array], weights: Mapping[str, Array] | None = None
) -> list[Array]:
    """The outputs of a model for its inputs in the order of the file."""
    model = source(lines, weights)
    config = lite.Config(model_buffer=model.model, params_buffer=model.params)
    return list(lite.create_predictor(config).run(list(inputs)).values())


def one_op(
    op: str,
    inputs: Sequence[Array],
    params: str = "",
    weights: Mapping[str, Array] | None = None,
    *,
    outputs: int = 1,
    names: Sequence[str] = (),
) -> list[Array]:
    """The outputs of an operator named ``op``; `names` are the ``$`` names of its inputs."""
    type_names = {
        "float32": "f32",
        "float64": "f64",
        "int64": "i64",
        "int32": "i32",
        "uint8": "u8",
        "bool": "bool",
    }

    def kind(array: Array) -> str:
        return f"({','.join(map(str, array.shape))}){type_names[array.dtype.name]}"

    count = len(inputs)
    results = [str(count + n) for n in range(outputs)]
    feeds = [f"pnnx.Input in{n} 0 1 {n} #{n}={kind(array)}" for n, array in enumerate(inputs)]
    declared = [f"@{key}={kind(array)}" for key, array in (weights or {}).items()]
    named = [f"${name}={n}" for n, name in enumerate(names)]
    operands = " ".join([*map(str, range(count)), *results])
    line = f"{op} op {count} {outputs} {operands} {params} {' '.join([*declared, *named])}"
    end = f"pnnx.Output out {outputs} 0 {' '.join(results)}"
    stored = {f"op.{key}": array for key, array in (weights or {}).items()}
    return run([*feeds, line, end], inputs, stored)


def noise(*shape: int, seed: int = 0) -> Array:
    """Normal numbers as float32."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
