"""The models beside this checkout and of this repository, with the inputs of their references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lite.ir.types import Array
from tests.support.data_folders import OWN, SHARED

CONFIGS: Mapping[str, Mapping[str, object]] = {
    "host": {"valid_places": ["host"]},
    "cpu": {"compilation": "wait"},
    "openvino": {"devices": ["openvino"]},
    "onnxruntime": {"devices": ["onnxruntime"]},
    "sim_npu": {"devices": ["sim_npu"]},
    "litert": {"devices": ["litert"]},
    "xla": {"devices": ["xla"]},
}
"""The settings under which each model is saved."""

_PREFIXES = ("in:", "in.", "alt_in.")


@dataclass(frozen=True)
class Model:
    """A model and the sets of inputs of its reference; those without names are in the model's order."""

    name: str
    path: Path
    inputs: list[dict[str, Array] | list[Array]]


def models() -> Iterator[Model]:
    """All models, small folders first."""
    for folder in (OWN / "models", *(SHARED / "models" / name for name in ("paddle", "paddle_quant"))):
        for path in sorted(folder.glob("*/reference.npz")):
            yield Model(f"{folder.name}/{path.parent.name}", path.parent, _named(path))
    for path in sorted((SHARED / "models" / "pir").glob("*/reference.npz")):
        yield Model(f"pir/{path.parent.name}", path.parent, _named(path))
    for path in sorted((SHARED / "models" / "pnnx").glob("*.pnnx.param")):
        name = path.name.removesuffix(".pnnx.param")
        yield Model(f"pnnx/{name}", path, _numbered(path.with_name(f"{name}.npz")))
    for family in ("onnx_quant", "zoo"):
        for path in sorted((SHARED / "models" / family).glob("*/model.onnx")):
            yield Model(f"{family}/{path.parent.name}", path, _named(path.with_name("reference.npz")))


def _named(path: Path) -> list[dict[str, Array] | list[Array]]:
    with np.load(path, allow_pickle=False) as arrays:
        found = [
            {name.removeprefix(prefix): arrays[name] for name in arrays if name.startswith(prefix)}
            for prefix in _PREFIXES
        ]
    return [inputs for inputs in found if inputs]


def _numbered(path: Path) -> list[dict[str, Array] | list[Array]]:
    with np.load(path, allow_pickle=False) as arrays:
        sets = [
            [arrays[f"{prefix}in{n}"] for n in range(sum(name.startswith(f"{prefix}in") for name in arrays))]
            for prefix in ("", "dyn_")
        ]
    return [inputs for inputs in sets if inputs]
