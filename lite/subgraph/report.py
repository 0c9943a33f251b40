"""The placement report: where each op runs and why, and how each region runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, field
from typing import Any

from lite.dataclass import dataclass
from lite.ir.types import HOST
from lite.text_table import text_table

PLANNED = "not run yet"
"""The state of a region before its first run."""


@dataclass
class OpReport:
    """One op of the graph before regions are formed: its place, and why other devices do not run it.

    `macs` are its multiply-accumulates, None where its shapes are unknown; `bytes` is the size of its
    outputs, None where it is unknown.
    """

    name: str
    type: str
    block: str
    placed_on: str
    why_not: dict[str, str]
    macs: int | None
    bytes: int | None


@dataclass
class TensorReport:
    """A tensor that crosses the boundary of a region in the `direction` "in" or "out"."""

    name: str
    direction: str
    dtype: str
    shape: list[int | str] | None
    bytes: int | None


@dataclass
class SignatureReport:
    """How a region runs for inputs of certain shapes.

    `seconds` is the time to build or load the model, `runs` and `host_runs` count the runs on the device
    and on the host, and `cache` is the answer of the device cache.
    """

    signature: str
    state: str
    reason: str
    seconds: float
    runs: int
    host_runs: int
    cache: str


@dataclass
class RegionReport:
    """One region: its ops, the tensors at its boundary, and how it runs.

    `bytes` is the data that crosses its boundary in one run, None where a shape is unknown.  `state` is
    "built", "loaded", "dynamic", "split", "host" or `PLANNED`; `reason` says why a region does not run as
    planned; `signatures` has both for each signature that a run had.
    """

    id: int
    device: str
    block: str
    ops: list[str]
    inputs: list[str]
    outputs: list[str]
    tensors: list[TensorReport]
    bytes: int | None
    state: str = PLANNED
    reason: str = ""
    signatures: list[SignatureReport] = field(default_factory=list)

    @property
    def fell_back(self) -> bool:
        """Whether the host runs at least a part of the region for some signature."""
        return any(each.state in ("host", "split") for each in self.signatures)


@dataclass(frozen=True)
class MeasuredPlacement:
    """A placement that `litebridge tune` ran whole: its regions and the least seconds of a run.

    `note` says why it was not measured.
    """

    name: str
    regions: int
    seconds: float | None
    chosen: bool = False
    note: str = ""


@dataclass
class PlacementReport:
    """Every op and every region, with all warnings; prints as a summary and two tables."""

    devices: list[str] = field(default_factory=list)
    regions: list[RegionReport] = field(default_factory=list)
    entered: dict[tuple[str, str], OpReport] = field(default_factory=dict, repr=False)
    """The ops by block and name."""
    pruned: list[tuple[str, int, str]] = field(default_factory=list)
    """Regions that were given back to the host: device, number of ops, why."""
    split: list[str] = field(default_factory=list)
    """Regions that are divided because of the limits of their devices, in one sentence each."""
    detectors: dict[str, int] = field(default_factory=dict)
    """The number of regions that each detector finds, before any are pruned."""
    warnings: list[str] = field(default_factory=list)
    fallbacks: dict[str, int] = field(default_factory=dict)
    """How many regions of each device run on the host, wholly or in part."""
    measured: list[MeasuredPlacement] = field(default_factory=list)
    """The placements that `litebridge tune` compared, the fastest first; only with ``placement="cost"``."""

    @property
    def ops(self) -> list[OpReport]:
        """Every op, in the order of entry."""
        return list(self.entered.values())

    def enter(self, op: OpReport) -> None:
        """Add an op; reasons that an earlier pass gave for other devices are kept."""
        before = self.entered.get((op.block, op.name))
        if before is not None:
            op.why_not = {**before.why_not, **op.why_not}
        self.entered[op.block, op.name] = op

    @property
    def coverage(self) -> dict[str, dict[str, float]]:
        """The share of ops, MACs and bytes written on the host and on each device, from 0 to 1."""
        totals = _totals(self.ops)
        shares: dict[str, dict[str, float]] = {}
        for place in dict.fromkeys([HOST, *self.devices, *(op.placed_on for op in self.ops)]):
            part = _totals(op for op in self.ops if op.placed_on == place)
            shares[place] = {key: part[key] / totals[key] if totals[key] else 0.0 for key in totals}
        return shares

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data for JSON."""
        plain = asdict(self)
        del plain["entered"]
        return {"ops": [asdict(op) for op in self.ops], **plain, "coverage": self.coverage}

    def __str__(self) -> str:
        return "\n\n".join(
            part for part in (self._summary(), self._ops(), self._regions(), self._measured()) if part
        )

    def _summary(self) -> str:
        are_known = all(op.macs is not None for op in self.ops)
        shares = (
            f"{place} {share['ops']:.0%} of the ops"
            + (f", {share['macs']:.0%} of the MACs" if are_known and any(op.macs for op in self.ops) else "")
            for place, share in self.coverage.items()
        )
        regions = f"{len(self.regions)} region{'s' * (len(self.regions) != 1)}"
        lines = [f"{len(self.ops)} ops in {regions}: {'; '.join(shares)}"]
        if not are_known:
            lines.append(
                "the MACs depend on sizes that the model leaves open; Config.input_shapes gives them"
            )
        lines += [f"pruned: {count} ops of {device}: {reason}" for device, count, reason in self.pruned]
        lines += [f"split: {sentence}" for sentence in self.split]
        for device, count in self.fallbacks.items():
            first = next(region for region in self.regions if region.device == device and region.fell_back)
            total = sum(region.device == device for region in self.regions)
            lines.append(f"the host answers for {count} of {total} regions of {device}: {first.reason}")
        return "\n".join([*lines, *(f"warning: {warning}" for warning in self.warnings)])

    def _ops(self) -> str:
        """Ops on the host, counted by type and reason."""
        if not self.devices:
            return ""
        counts = Counter(
            (op.type, device, reason)
            for op in self.ops
            if op.placed_on == HOST
            for device, reason in (op.why_not or {"-": "its region was given up"}).items()
        )
        rows = [(count, *key) for key, count in counts.items()]
        return text_table(("on host", "op", "declined by", "why"), rows) if rows else ""

    def _regions(self) -> str:
        rows = [
            (r.id, r.device, len(r.ops), len(r.inputs), len(r.outputs), r.bytes, r.state, r.reason)
            for r in self.regions
        ]
        columns = ("region", "device", "ops", "inputs", "outputs", "bytes", "state", "reason")
        return text_table(columns, rows) if rows else ""

    def _measured(self) -> str:
        rows = [
            (each.name, each.regions, _ms(each.seconds), "yes" if each.chosen else "", each.note)
            for each in self.measured
        ]
        return text_table(("measured placement", "regions", "ms", "chosen", "note"), rows) if rows else ""


def _ms(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1e3:.3f}"


def _totals(ops: Iterable[OpReport]) -> Mapping[str, int]:
    totals = {"ops": 0, "macs": 0, "bytes": 0}
    for op in ops:
        totals["ops"] += 1
        totals["macs"] += op.macs or 0
        totals["bytes"] += op.bytes or 0
    return totals
