"""A package of Core ML: its files, and on macOS the runs of its program."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lite.bridges.coreml.sdk import sdk
from lite.errors import CompileError, ExecutionError
from lite.ir.types import Array, DType
from lite.plugin.device import CompiledModel
from lite.plugin.device.stored_files import read_files as read_stored

Outputs = Sequence[tuple[str, Sequence[int]]]
"""The element type and the shape of each output of the region."""

_FACTS = "litebridge.json"
"""The member of a stored package with the outputs."""


class CoremlModel(CompiledModel):
    """An ML program; `package` has its files by relative path."""

    def __init__(self, package: Mapping[str, bytes], outputs: Outputs, units: str) -> None:
        self.package = package
        self._outputs = outputs
        self._units = units
        self._model: Any = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        """Run on macOS; integers pass as int32, and raise `ExecutionError` beyond it."""
        model = self._opened()
        feeds = {f"input_{n}": _fed(array) for n, array in enumerate(inputs)}
        try:
            results = model.predict(feeds)
        except RuntimeError as error:
            raise ExecutionError(f"coreml: the run failed: {error}") from error
        return [
            _stored(results[f"output_{n}"], dtype, shape, out)
            for n, ((dtype, shape), out) in enumerate(zip(self._outputs, outputs, strict=True))
        ]

    def serialize(self) -> bytes:
        """The files and the outputs as one archive, whose checksums `read_package` compares."""
        memory = io.BytesIO()
        with zipfile.ZipFile(memory, "w") as archive:
            archive.writestr(_FACTS, json.dumps(self._outputs))
            for name, content in self.package.items():
                archive.writestr(name, content)
        return memory.getvalue()

    def files(self) -> Mapping[str, bytes]:
        """The package."""
        return self.package

    def _opened(self) -> Any:
        if self._model is None:
            # Core ML compiles the package where it lies.
            self._folder = tempfile.TemporaryDirectory()
            root = Path(self._folder.name)
            for name, content in self.package.items():
                if name.endswith("/"):
                    (root / name).mkdir(parents=True, exist_ok=True)
                    continue
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_bytes(content)
            tools = sdk().tools
            units = getattr(tools.ComputeUnit, self._units)
            self._model = tools.models.MLModel(str(root / "region.mlpackage"), compute_units=units)
        return self._model


def read_files(package: Path) -> dict[str, bytes]:
    """The files of a package on disk, and its empty folders, whose names end with a slash.

    The manifest of a package without weights names an empty folder, and Core ML looks for it.
    """
    found: dict[str, bytes] = {}
    for path in sorted(package.rglob("*")):
        name = path.relative_to(package.parent).as_posix()
        if path.is_file():
            found[name] = path.read_bytes()
        elif not any(path.iterdir()):
            found[f"{name}/"] = b""
    return found


def read_package(blob: bytes) -> tuple[dict[str, bytes], Outputs]:
    """The files and outputs that `CoremlModel.serialize` stored; raises `CompileError` for other bytes."""
    try:
        files = read_stored(blob)
        outputs = [
            (str(dtype), [int(size) for size in shape]) for dtype, shape in json.loads(files.pop(_FACTS))
        ]
    except (KeyError, ValueError, TypeError) as error:
        raise CompileError(
            f"coreml: expected a stored model, got {len(blob)} other bytes: {error}"
        ) from error
    return files, outputs


def _fed(array: Array) -> Array:
    if array.dtype == np.int64:
        limits = np.iinfo(np.int32)
        if array.size and (array.min() < limits.min or array.max() > limits.max):
            raise ExecutionError("coreml: an input has integers beyond 32 bits, the widest of Core ML")
    array = array if array.ndim else array.reshape(1)
    return array.astype(np.int32) if array.dtype.kind in "ib" else array


def _stored(result: Any, dtype: str, shape: Sequence[int], out: Array | None) -> Array:
    array = np.asarray(result).reshape(tuple(shape)).astype(DType.from_name(dtype).numpy)
    if out is None:
        return array
    np.copyto(out, array)
    return out
