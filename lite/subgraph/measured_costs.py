"""What ops were measured to take on devices and the host, for placement by cost.

`litebridge tune` writes them to ``costs.json`` in a directory for compiled models, where
``Config(placement="cost", cache_dir=...)`` finds them::

    {"format": 1, "ops": [{"what": …, "shapes": [[1, 3, 8, 8], …], "seconds": {place: …}}, …]}

An op is found by its type, attributes, element types, and the shapes of what it reads; a size that is not
known yet fits any.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lite.errors import ConfigError
from lite.ir.graph import Node
from lite.ir.types import HOST, Shape, shape_fits
from lite.ops.schema import SCHEMAS
from lite.plugin.boundary import at_boundary
from lite.plugin.device import Device

log = logging.getLogger(__name__)

COSTS_FILE = "costs.json"
FORMAT = 1


@dataclass(frozen=True)
class OpKey:
    """All that the time of an op depends on: what it is, as text, and the shapes of its inputs."""

    what: str
    shapes: tuple[Shape | None, ...]

    @classmethod
    def of(cls, node: Node) -> OpKey:
        """The key of an op with what is known of its shapes."""
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
    """Seconds by op and place; see `place_of` for what a place is called."""

    entries: dict[str, dict[tuple[Shape | None, ...], dict[str, float]]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> MeasuredCosts | None:
        """The costs of a file; None where there is none, with a warning where it is damaged."""
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            return cls._of(found)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, ConfigError) as error:
            log.warning("%s cannot be used, ops have no measured costs: %s", path, error)
            return None

    @classmethod
    def _of(cls, found: Mapping[str, Any]) -> MeasuredCosts:
        if found["format"] != FORMAT:
            raise ConfigError(f"it has format {found['format']!r}, expected {FORMAT}")
        costs = cls()
        for entry in found["ops"]:
            shapes = tuple(None if shape is None else tuple(shape) for shape in entry["shapes"])
            for place, seconds in entry["seconds"].items():
                costs.enter(OpKey(entry["what"], shapes), place, float(seconds))
        return costs

    def enter(self, key: OpKey, place: str, seconds: float) -> None:
        """Enter what an op takes on a place, instead of what was known."""
        self.entries.setdefault(key.what, {}).setdefault(key.shapes, {})[place] = seconds

    def seconds(self, key: OpKey, place: str) -> float | None:
        """What an op takes on a place; with sizes that are not known, that of the latest shapes that fit."""
        found = self.entries.get(key.what, {})
        exact = found.get(key.shapes, {}).get(place)
        if exact is not None:
            return exact
        fitting = [costs[place] for shapes, costs in found.items() if place in costs and key.fits(shapes)]
        return fitting[-1] if fitting else None

    def to_json(self) -> str:
        """The text of a file."""
        ops = [
            {"what": what, "shapes": shapes, "seconds": seconds}
            for what, found in self.entries.items()
            for shapes, seconds in found.items()
        ]
        return json.dumps({"format": FORMAT, "ops": ops}, indent=1) + "\n"


def place_of(device: Device[Any] | None, threads: int) -> str:
    """What costs call a device with its options and version, or the host, and how many threads it has."""
    if device is None:
        return f"{HOST}, {threads} threads"
    version = at_boundary(device.name, "asking its version", device.version)
    return f"{device.name}, {device.options}, {version}, {threads} threads"
