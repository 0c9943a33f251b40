"""The time that each layer gains by integers: its ops in the float model less those in the quantised one.

The profile of a run has one row for each op that is executed, which may be several ops of the model in one
(a fusion, or the region of a device).  A row has the layers between its outputs and those of other rows; ops
that only quantise belong to the rows that read their results.  Layers that share a row in either model share
the gain by their multiply-accumulates.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from lite.config import Config
from lite.dataclass import dataclass
from lite.ir.graph import Graph, Node
from lite.ir.program import Program
from lite.ops.program_graph import program_graph
from lite.quantization.calibration import feed_of
from lite.quantization.data import Sample
from lite.runtime.observe.profile import Profile
from lite.session.predictor import Predictor

RUNS, WARMUP = 7, 2
"""Runs whose shortest time counts for each op, and runs before them."""

_QUANTIZE = frozenset({"quantize_linear", "dequantize_linear", "affine_quantize", "affine_dequantize"})


@dataclass(frozen=True)
class Row:
    """An executed op: the names of the values that it reads and writes, and the microseconds of a call."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    microseconds: float


@dataclass(frozen=True)
class Part:
    """Layers with one common time, and that time in microseconds."""

    layers: frozenset[str]
    microseconds: float


def measured_gains(
    exact: Program, quantized: Program, config: Config, sample: Sample, layers: Collection[str]
) -> dict[str, float]:
    """The microseconds that each layer gains in runs on a sample, on the devices of the Config."""
    waiting = replace(config, compilation="wait")
    parts: list[list[Part]] = []
    work: dict[str, float] = {}
    for program in (exact, quantized):
        predictor = Predictor.of_program(program, waiting)
        profile = predictor.profile(feed_of(predictor, sample), runs=RUNS, warmup=WARMUP)
        parts.append(attributed(program_graph(program), rows_of(profile), layers))
        work.update(
            {op.name: float(op.macs) for op in predictor.report().ops if op.name in layers and op.macs}
        )
    return gains(parts[0], parts[1], work)


def rows_of(profile: Profile) -> list[Row]:
    """The rows of the main block that were executed."""
    return [
        Row(
            tuple(each.name for each in op.inputs),
            tuple(each.name for each in op.outputs),
            1e3 * op.min_ms,
        )
        for op in profile.ops
        if op.depth == 0 and op.calls
    ]


def attributed(graph: Graph, rows: Sequence[Row], layers: Collection[str]) -> list[Part]:
    """The layers of each row, where it has any, in groups that share rows."""
    producers = {value.name: node for node in graph for value in node.all_outputs()}
    written = {name for row in rows for name in row.outputs}
    merged = _Groups()
    readers: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        for name in row.inputs:
            readers.setdefault(name, []).append(number)
    found: list[set[str]] = []
    for number, row in enumerate(rows):
        nodes = _nodes_of(row, producers, written)
        found.append({node.label for node in nodes} & set(layers))
        if all(node.op in _QUANTIZE for node in nodes):
            for name in row.outputs:
                for reader in readers.get(name, ()):
                    merged.join(f"row {number}", f"row {reader}")
        for layer in found[-1]:
            merged.join(f"row {number}", f"layer {layer}")
    times: dict[str, float] = {}
    members: dict[str, set[str]] = {}
    for number, row in enumerate(rows):
        root = merged.root(f"row {number}")
        times[root] = times.get(root, 0.0) + row.microseconds
        members.setdefault(root, set()).update(found[number])
    return [Part(frozenset(members[root]), time) for root, time in times.items() if members[root]]


def gains(exact: Sequence[Part], quantized: Sequence[Part], work: Mapping[str, float]) -> dict[str, float]:
    """The microseconds that each layer gains; `work` are multiply-accumulates, as far as known."""
    merged = _Groups()
    for part in (*exact, *quantized):
        first = min(part.layers)
        for layer in part.layers:
            merged.join(first, layer)
    total: dict[str, float] = {}
    members: dict[str, set[str]] = {}
    for sign, parts in ((1, exact), (-1, quantized)):
        for part in parts:
            root = merged.root(min(part.layers))
            total[root] = total.get(root, 0.0) + sign * part.microseconds
            members.setdefault(root, set()).update(part.layers)
    found: dict[str, float] = {}
    for root, layers in members.items():
        whole = sum(work.get(layer, 0.0) for layer in layers)
        for layer in layers:
            share = work.get(layer, 0.0) / whole if whole else 1 / len(layers)
            found[layer] = total[root] * share
    return found


def _nodes_of(row: Row, producers: Mapping[str, Node], written: Collection[str]) -> set[Node]:
    """The nodes between the outputs of a row and those of other rows."""
    nodes: set[Node] = set()
    found = [producers[name] for name in row.outputs if name in producers]
    while found:
        node = found.pop()
        if node in nodes:
            continue
        nodes.add(node)
        for value in node.all_inputs():
            # A variable that is written twice has one name.
            if value.producer is not None and (value.name not in written or value.name in row.outputs):
                found.append(value.producer)
    return nodes


class _Groups:
    """Disjoint sets of names."""

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}

    def root(self, name: str) -> str:
        parent = self._parents.get(name, name)
        return name if parent == name else self.root(parent)

    def join(self, first: str, second: str) -> None:
        self._parents[self.root(first)] = self.root(second)
