"""The reference models beside this checkout: where they are, and what equal means."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lite.ir.types import Array

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "models" / "paddle"

STRICT = 1e-4
"""Largest difference on the host, relative to the largest value of an output."""


@dataclass(frozen=True)
class ReferenceModel:
    """A Paddle model with inputs and the outputs that Paddle computed for them, in fetch order."""

    path: Path
    inputs: dict[str, Array]
    outputs: dict[str, Array]

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name


def reference_models() -> list[ReferenceModel]:
    """All of them; none where the folder is absent."""
    return [_read(path) for path in sorted(FOLDER.glob("*")) if (path / "reference.npz").is_file()]


def difference(got: dict[str, Array], expected: dict[str, Array], tolerance: float = STRICT) -> str:
    """An empty text when the outputs are equal, else what differs first."""
    if list(got) != list(expected):
        return f"outputs {list(got)}, expected {list(expected)}"
    for name, want in expected.items():
        have = got[name]
        if have.shape != want.shape or have.dtype != want.dtype:
            return f"{name}: {have.dtype}{have.shape}, expected {want.dtype}{want.shape}"
        if want.dtype.kind != "f":
            if not np.array_equal(have, want):
                return f"{name}: integers differ"
        elif want.size and not np.abs(have - want).max() <= tolerance * np.abs(want).max():
            return f"{name}: differs by {np.abs(have - want).max() / np.abs(want).max():.2e} of the range"
    return ""


def _read(path: Path) -> ReferenceModel:
    with np.load(path / "reference.npz") as arrays:
        inputs = {name[3:]: arrays[name] for name in arrays if name.startswith("in:")}
        outputs = {name[4:]: arrays[name] for name in arrays if name.startswith("out:")}
    return ReferenceModel(path, inputs, outputs)
