"""A saved plan: where the ops of a model run, as JSON that can be compared and given back.

::

    {"format": 1, "litebridge": "1.0", "model": "det",
     "devices": {"npu": {"spec": "npu{cores=2}", "version": "SDK 1.0"}},
     "inputs": {"x": [1, 3, 64, 64]},
     "ops": [{"name": "b", "type": "relu", "block": "main", "place": "npu", "why_not": {}, "macs": 0}, …],
     "regions": [{"device": "npu", "block": "main", "ops": ["b", …]}, …],
     "coverage": {"npu": {"ops": 0.9, "macs": 0.99, "bytes": 0.9}, …}, "seconds": null}

`format` changes when older versions cannot read a file any more; fields may be added.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from typing import Any

from lite.dataclass import dataclass
from lite.errors import ConfigError
from lite.ir.types import Shape
from lite.subgraph.report import PlacementReport
from lite.subgraph.user_file import read_json
from lite.version import VERSION

FORMAT = 1


@dataclass(frozen=True)
class SavedOp:
    """An op: its place, why other devices do not run it, and its multiply-accumulates, if known."""

    name: str
    type: str
    block: str
    place: str
    why_not: Mapping[str, str] = field(default_factory=dict)
    macs: int | None = None


@dataclass(frozen=True)
class SavedRegion:
    """A region: its device, its block, and the names of its ops in running order."""

    device: str
    block: str
    ops: tuple[str, ...]


@dataclass(frozen=True)
class SavedDevice:
    """A device as it was opened, and the version of its SDK."""

    spec: str
    version: str


@dataclass(frozen=True)
class SavedPlan:
    """Where the ops of a model run; `seconds` is the median of measured runs, None without any."""

    model: str
    devices: Mapping[str, SavedDevice]
    inputs: Mapping[str, Sequence[int | str] | None]
    ops: tuple[SavedOp, ...]
    regions: tuple[SavedRegion, ...]
    coverage: Mapping[str, Mapping[str, float]]
    seconds: float | None = None
    litebridge: str = VERSION

    @classmethod
    def of(
        cls,
        model: str,
        report: PlacementReport,
        devices: Mapping[str, SavedDevice],
        inputs: Mapping[str, Shape | None],
        seconds: float | None = None,
    ) -> SavedPlan:
        """The plan that a placement report states."""
        return cls(
            model,
            devices,
            {name: None if shape is None else list(shape) for name, shape in inputs.items()},
            tuple(
                SavedOp(op.name, op.type, op.block, op.placed_on, dict(op.why_not), op.macs)
                for op in report.ops
            ),
            tuple(SavedRegion(each.device, each.block, tuple(each.ops)) for each in report.regions),
            report.coverage,
            seconds,
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> SavedPlan:
        """The plan in a file; raises `ConfigError` for a file that cannot be read or is no saved plan."""
        name = f"plan {os.fspath(path)}"
        content = read_json(path, "plan")
        if not isinstance(content, dict) or "format" not in content:
            raise ConfigError(f"{name}: it is no plan; write one with litebridge plan MODEL --save FILE")
        if content["format"] != FORMAT:
            raise ConfigError(
                f"{name}: it has format {content['format']!r}, expected {FORMAT}; save it again"
            )
        try:
            return cls._of_json(content)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ConfigError(f"{name}: it is damaged ({type(error).__name__}: {error})") from error

    @classmethod
    def _of_json(cls, content: Mapping[str, Any]) -> SavedPlan:
        names = SavedOp.__dataclass_fields__
        return cls(
            str(content["model"]),
            {
                name: SavedDevice(str(each["spec"]), str(each["version"]))
                for name, each in content["devices"].items()
            },
            dict(content["inputs"]),
            tuple(SavedOp(**{key: op[key] for key in names}) for op in content["ops"]),
            tuple(
                SavedRegion(str(each["device"]), str(each["block"]), tuple(map(str, each["ops"])))
                for each in content["regions"]
            ),
            {place: dict(shares) for place, shares in content["coverage"].items()},
            None if content["seconds"] is None else float(content["seconds"]),
            str(content["litebridge"]),
        )

    def has_regions_of(self, other: SavedPlan) -> bool:
        """Whether the regions are the same, in any order of their ops."""
        return _regions(self) == _regions(other)

    def to_json(self) -> str:
        """The text of a file."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1) + "\n"


def _regions(plan: SavedPlan) -> frozenset[tuple[str, str, frozenset[str]]]:
    return frozenset((each.device, each.block, frozenset(each.ops)) for each in plan.regions)
