"""Op cases: how to read them, run one, and compare.

A class is a zip; for case N it has ``N/model.pdmodel``, ``N/model.pdiparams``, ``N/meta.json``, and the raw
arrays that the last one names.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import lite
from lite.ir.program import Program
from lite.ir.types import Array, Lod
from lite.plugin.format import ModelSource
from lite.session.predictor import Predictor
from tests.support.data_folders import OWN, SHARED

FOLDERS = (OWN / "op_cases", SHARED / "op_cases")


@dataclass(frozen=True)
class Tensor:
    """An input or expected output; `check` is "values", "shape" or "none"."""

    name: str
    array: Array
    lod: Lod
    check: str = "values"


@dataclass(frozen=True)
class OpCase:
    """One model of one or a few ops with its inputs and outputs; tolerances as `numpy.allclose`."""

    number: int
    model: bytes
    params: bytes
    inputs: Sequence[Tensor]
    outputs: Sequence[Tensor]
    meta: Mapping[str, Any]

    def program(self) -> Program:
        """The model, loaded."""
        return lite.load_program(ModelSource(model=self.model, params=self.params))

    def difference(self, predictor: Predictor) -> str:
        """Run the case; the first difference from the checked outputs, or an empty string."""
        inputs = {tensor.name: tensor.array for tensor in self.inputs}
        lods = {tensor.name: tensor.lod for tensor in self.inputs if tensor.lod}
        predictor.run(inputs, lods=lods)
        for expected in self.outputs:
            result = predictor.get(expected.name)
            if expected.check == "none":
                continue
            if result.shape != expected.array.shape:
                return f"{expected.name}: shape {result.shape}, expected {expected.array.shape}"
            if result.dtype != expected.array.dtype:
                return f"{expected.name}: dtype {result.dtype}, expected {expected.array.dtype}"
            if expected.check == "values" and not self._close(result, expected.array):
                return f"{expected.name}: values differ"
        return ""

    def _close(self, result: Array, expected: Array) -> bool:
        a, b = result.astype(np.float64), expected.astype(np.float64)
        return bool(np.allclose(a, b, atol=self.meta["atol"], rtol=self.meta["rtol"]))


def predictor_of(
    program: Program, passes: Sequence[str] | None = None, places: Sequence[str] | None = None
) -> Predictor:
    """A predictor of a program in memory, in strict precision."""
    config = lite.Config(program.source, passes=passes, valid_places=places, precision="strict")
    return Predictor.of_program(program, config)


def class_names() -> list[str]:
    """The names of the classes: those of this repository, and those beside the checkout if they are there."""
    return [path.stem for folder in FOLDERS for path in sorted(folder.glob("*.zip"))]


def read_class(name: str) -> Iterator[OpCase]:
    """The cases of one class."""
    (path,) = (folder / f"{name}.zip" for folder in FOLDERS if (folder / f"{name}.zip").is_file())
    with zipfile.ZipFile(path) as archive:
        number = 0
        while f"{number}/meta.json" in archive.NameToInfo:
            folder = str(number)
            meta = json.loads(archive.read(f"{folder}/meta.json"))
            yield OpCase(
                number,
                archive.read(f"{folder}/model.pdmodel"),
                archive.read(f"{folder}/model.pdiparams"),
                [_tensor(archive, folder, entry) for entry in meta["inputs"]],
                [_tensor(archive, folder, entry) for entry in meta["outputs"]],
                meta,
            )
            number += 1


def _tensor(archive: zipfile.ZipFile, folder: str, entry: Mapping[str, Any]) -> Tensor:
    data = archive.read(f"{folder}/{entry['file']}")
    array = np.frombuffer(data, entry["dtype"]).reshape(entry["shape"])
    lod = tuple(tuple(level) for level in entry["lod"])
    return Tensor(entry["name"], array, lod, entry.get("check", "values"))
