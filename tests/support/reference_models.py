"""Paddle models with inputs and expected outputs, and their comparison."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from lite.ir.types import Array
from tests.support.data_folders import OWN, SHARED

FOLDERS = (OWN / "models", SHARED / "models" / "paddle")

STRICT = 1e-4
"""Largest difference on the host, relative to the largest value of an output."""


@dataclass(frozen=True)
class ReferenceModel:
    """A model with inputs and the outputs that Paddle or ONNX Runtime computed for them, in fetch order."""

    path: Path
    inputs: dict[str, Array]
    outputs: dict[str, Array]

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name


def reference_models(*folders: Path) -> list[ReferenceModel]:
    """The models of `folders`, by default of this repository and of the folder beside the checkout."""
    paths = [path for folder in folders or FOLDERS for path in sorted(folder.glob("*"))]
    return [_read(path) for path in paths if (path / "reference.npz").is_file()]


def reference_model(name: str) -> ReferenceModel:
    """A model by name; skips the test where it is absent."""
    for folder in FOLDERS:
        if (folder / name / "reference.npz").is_file():
            return _read(folder / name)
    pytest.skip(f"reference model {name} is not beside the checkout")


def difference(got: dict[str, Array], expected: dict[str, Array], tolerance: float = STRICT) -> str:
    """An empty string if the outputs are equal, otherwise the first difference."""
    if list(got) != list(expected):
        return f"outputs {list(got)}, expected {list(expected)}"
    for name, array in expected.items():
        result = got[name]
        if result.shape != array.shape or result.dtype != array.dtype:
            return f"{name}: {result.dtype}{result.shape}, expected {array.dtype}{array.shape}"
        if array.dtype.kind != "f":
            if not np.array_equal(result, array):
                return f"{name}: integers differ"
        elif array.size and not np.abs(result - array).max() <= tolerance * np.abs(array).max():
            return f"{name}: differs by {np.abs(result - array).max() / np.abs(array).max():.2e} of the range"
    return ""


def _read(path: Path) -> ReferenceModel:
    with np.load(path / "reference.npz") as arrays:
        inputs = {name[3:]: arrays[name] for name in arrays if name.startswith("in:")}
        outputs = {name[4:]: arrays[name] for name in arrays if name.startswith("out:")}
    return ReferenceModel(path, inputs, outputs)


each_model = pytest.mark.parametrize("model", reference_models(), ids=lambda model: model.name)
