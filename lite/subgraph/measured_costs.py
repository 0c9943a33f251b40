"""Measured times of ops on devices and on the host, for placement by cost.

`litebridge tune` writes them to ``costs.json`` in the folder of compiled models, where
``Config(placement="cost", cache_dir=...)`` finds them::

    {"format": 1, "ops": [{"what": …, "shapes": [[1, 3, 8, 8], …], "seconds": {place: …}}, …]}

The key of an op is its type, attributes and element types, with the shapes of its inputs.  An unknown
size in a key fits any size.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from lite.dataclass import dataclass
from lite.errors import ConfigError
from lite.ir.graph import Node
from lite.ir.types import HOST, Shape, shape_fits
from lite.ops.schema import SCHEMAS
from lite.plugin.boundary import at_boundary
from lite.plugin.device import Device
from lite.subgraph.user_file import DAMAGE
from lite.trusted_folder import read_trusted

log = logging.getLogger(__name__)

COSTS_FILE = "costs.json"
FORMAT = 1


@dataclass(frozen=True)
class OpKey:
    """All that the time of an op depends on: its description as text, and the shapes of its inputs."""

    what: str
    shapes: tuple[Shape | None, ...]

    @classmethod
    def of(cls, node: Node) -> OpKey:
        """The key of an op, with its shapes as far as they are known."""
        schema = SCHEMAS.get(node.op)
        attrs = dict(node.attrs) if schema is None else dict(schema.attr_values(node.attrs))
        inputs = {
            slot: [f"{value.dtype}{'' if value.data is None else ' constant'}" for value in values]
            for slot, values in node.inputs.items()
        }
        outputs = {slot: len(values) for slot, values in node.outputs.items()}
        what = json.dumps([node.op, attrs, inputs, outputs], sort_keys=True, default=str)
        return cls(what, tuple(value.shape for value in node.all_inputs()))

    def fits(self, shapes: Sequence[Shape | None]) -> bool:
        """Whether these shapes, all of them known, may be the ones of this key."""
        return len(shapes) == len(self.shapes) and all(map(shape_fits, self.shapes, shapes))


@dataclass
class MeasuredCosts:
    """Seconds by op and place; `place_of` names the places."""

    entries: dict[str, dict[tuple[Shape | None, ...], dict[str, float]]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> MeasuredCosts | None:
        """The costs in a file; None if there is no file, and, with a warning, if it is damaged."""
        try:
            return cls._from_json(json.loads(read_trusted(path)))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ConfigError, *DAMAGE) as error:
            log.warning("%s cannot be used, ops have no measured costs: %s", path, error)
            return None

    @classmethod
    def _from_json(cls, content: Mapping[str, Any]) -> MeasuredCosts:
        if content["format"] != FORMAT:
            raise ConfigError(f"it has format {content['format']!r}, expected {FORMAT}")
        costs = cls()
        for entry in content["ops"]:
            shapes = tuple(None if shape is None else tuple(shape) for shape in entry["shapes"])
            for place, seconds in entry["seconds"].items():
                costs.enter(OpKey(entry["what"], shapes), place, float(seconds))
        return costs

    def enter(self, key: OpKey, place: str, seconds: float) -> None:
        """Set the time of an op on a place, replacing an earlier one."""
        self.entries.setdefault(key.what, {}).setdefault(key.shapes, {})[place] = seconds

    def seconds(self, key: OpKey, place: str) -> float | None:
        """The time of an op on a place; None if unknown.

        For a key with unknown sizes it is the time of the shapes that were entered last among those
        that fit.
        """
        by_shapes = self.entries.get(key.what, {})
        exact = by_shapes.get(key.shapes, {}).get(place)
        if exact is not None:
            return exact
        fitting = [costs[place] for shapes, costs in by_shapes.items() if place in costs and key.fits(shapes)]
        return fitting[-1] if fitting else None

    def to_json(self) -> str:
        """The text of a file."""
        ops = [
            {"what": what, "shapes": shapes, "seconds": seconds}
            for what, by_shapes in self.entries.items()
            for shapes, seconds in by_shapes.items()
        ]
        return json.dumps({"format": FORMAT, "ops": ops}, indent=1) + "\n"


def place_of(device: Device[Any] | None, threads: int) -> str:
    """The name of a place in `MeasuredCosts`: a device with its options and version, or the host.

    Raises `CompileError` where the device fails to tell its version.
    """
    if device is None:
        return f"{HOST}, {threads} threads"
    version = at_boundary(device.name, "asking its version", device.version)
    return f"{device.name}, {device.options}, {version}, {threads} threads"
