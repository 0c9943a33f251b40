"""What `litebridge tune` measured whole: the times of regions, and the fastest placement of each graph.

It is stored in ``tuned.json`` in the folder of compiled models, where ``Config(placement="cost",
cache_dir=...)`` finds it::

    {"format": 1,
     "regions": {KEY: {place: seconds, …}, …},
     "graphs": {KEY: [{"shapes": {"x": [1, 3, 8, 8]}, "regions": […], "measured": […]}, …], …}}

The key of a region is the digest of its structure: ops, attributes, element types, edges and shapes, without
names and weights, so models share the times of equal regions.  The key of a graph has the names of its ops
and the places; a place is a device with its options and version, or the host, with its number of threads and
the processor.
"""

from __future__ import annotations

import functools
import hashlib
import json
import logging
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from pathlib import Path
from typing import Any

from lite.dataclass import dataclass
from lite.errors import CompileError, ConfigError
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import HOST, shape_fits
from lite.ops.schema import SCHEMAS
from lite.plugin.device import Device
from lite.subgraph.measured_costs import place_of
from lite.subgraph.report import MeasuredPlacement
from lite.subgraph.saved_plan import SavedPlan, SavedRegion
from lite.subgraph.user_file import DAMAGE
from lite.trusted_folder import read_trusted
from lite.version import VERSION

log = logging.getLogger(__name__)

TUNED_FILE = "tuned.json"
FORMAT = 1


@dataclass(frozen=True)
class TunedPlacement:
    """The fastest placement of a graph for arguments of these shapes, and what it was measured against."""

    shapes: Mapping[str, Sequence[int]]
    regions: tuple[SavedRegion, ...]
    measured: tuple[MeasuredPlacement, ...] = ()

    def fits(self, graph: Graph) -> bool:
        """Whether the arguments of a graph may have these shapes."""
        shapes = [(arg.shape, self.shapes[arg.name]) for arg in graph.args if arg.name in self.shapes]
        return all(shape is None or shape_fits(shape, tuple(sizes)) for shape, sizes in shapes)

    @property
    def plan(self) -> SavedPlan:
        """The regions as a plan."""
        return SavedPlan("", {}, {}, (), self.regions, {})

    def why_on_host(self, device: str) -> str:
        """Why ops that a device takes are on the host, in one sentence."""
        seconds = {each.name: each.seconds for each in self.measured if each.seconds is not None}
        if HOST in seconds and device in seconds and seconds[HOST] <= seconds[device]:
            return f"the host takes {_ms(seconds[HOST])} for the whole model, {device} {_ms(seconds[device])}"
        return "of all placements that were measured, the fastest one has it on the host"


@dataclass
class TunedPlacements:
    """Seconds of regions by key and place, and placements of graphs by key; the newest is the last."""

    regions: dict[str, dict[str, float]] = field(default_factory=dict)
    graphs: dict[str, list[TunedPlacement]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> TunedPlacements | None:
        """The content of a file; None if there is no file, and, with a warning, if it is damaged."""
        try:
            return cls._from_json(json.loads(read_trusted(path)))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ConfigError, *DAMAGE) as error:
            log.warning("%s cannot be used, placements are not tuned: %s", path, error)
            return None

    @classmethod
    def _from_json(cls, content: Mapping[str, Any]) -> TunedPlacements:
        if content["format"] != FORMAT:
            raise ConfigError(f"it has format {content['format']!r}, expected {FORMAT}")
        regions = {
            str(key): {str(place): float(seconds) for place, seconds in times.items()}
            for key, times in content["regions"].items()
        }
        graphs = {
            str(key): [
                TunedPlacement(
                    {str(name): [int(size) for size in sizes] for name, sizes in each["shapes"].items()},
                    tuple(
                        SavedRegion(
                            str(region["device"]), str(region["block"]), tuple(map(str, region["ops"]))
                        )
                        for region in each["regions"]
                    ),
                    tuple(MeasuredPlacement(**row) for row in each["measured"]),
                )
                for each in placements
            ]
            for key, placements in content["graphs"].items()
        }
        return cls(regions, graphs)

    def find(self, graph: Graph, devices: Sequence[Device[Any]]) -> TunedPlacement | None:
        """The newest placement of a graph on these devices whose shapes fit."""
        try:
            found = self.graphs.get(graph_key(graph, devices), ())
        except CompileError:
            return None
        return next((each for each in reversed(found) if each.fits(graph)), None)

    def enter(self, key: str, placement: TunedPlacement) -> None:
        """Add the placement of a graph, in place of an earlier one for the same shapes."""
        others = [each for each in self.graphs.get(key, ()) if each.shapes != placement.shapes]
        self.graphs[key] = [*others, placement]

    def to_json(self) -> str:
        """The text of a file."""
        graphs = {key: [asdict(each) for each in found] for key, found in self.graphs.items()}
        return json.dumps({"format": FORMAT, "regions": self.regions, "graphs": graphs}, indent=1) + "\n"


def tuned_place(device: Device[Any] | None, threads: int) -> str:
    """The name of a place, with the processor and, for the host, the version of litebridge.

    Raises `CompileError` where the device fails to tell its version.
    """
    version = f", litebridge {VERSION}" if device is None else ""
    return f"{place_of(device, threads)}{version}, {_processor()}"


def graph_key(graph: Graph, devices: Sequence[Device[Any]]) -> str:
    """The key of a graph on the host and these devices; raises `CompileError` as `tuned_place` does."""
    threads = max((device.settings.threads for device in devices), default=1)
    places = [tuned_place(None, threads)]
    places += sorted(tuned_place(device, device.settings.threads) for device in devices)
    ops = [[node.label, node.op, [value.label for value in node.all_inputs()]] for node in graph]
    return _digest([graph.name, places, ops])


def region_key(graph: Graph) -> str:
    """The key of a region: of its structure, with the shapes of arguments and constants."""
    numbers: dict[Value, int] = {}
    rows: list[object] = [[numbers.setdefault(arg, len(numbers)), *_type(arg)] for arg in graph.args]
    for node in graph:
        inputs = {
            slot: [numbers[v] if v.data is None else ["constant", *_type(v)] for v in values]
            for slot, values in node.inputs.items()
        }
        outputs = {
            slot: [numbers.setdefault(v, len(numbers)) for v in values]
            for slot, values in node.outputs.items()
        }
        rows.append([node.op, _attrs(node), inputs, outputs])
    return _digest([rows, [numbers.get(value, -1) for value in graph.results]])


def _type(value: Value) -> tuple[str, object]:
    shape = value.shape if value.data is None else value.data.shape
    return str(value.dtype), None if shape is None else list(shape)


def _attrs(node: Node) -> dict[str, Any]:
    schema = SCHEMAS.get(node.op)
    return dict(node.attrs) if schema is None else dict(schema.attr_values(node.attrs))


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


@functools.cache
def _processor() -> str:
    """The name of the processor as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms"
