"""Parts of a region, on their device and on the host, with the same inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lite.errors import CompileError, ExecutionError
from lite.ir.clone import clone_graph, copy_nodes
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import Array, DType
from lite.ops import Meta
from lite.ops.infer_graph import infer_metas
from lite.plan import Region
from lite.plugin.kernel import evaluate
from lite.runtime.regions.device_tensor import on_host
from lite.runtime.regions.engine import SubgraphEngine
from lite.runtime.regions.settings import RegionSettings
from lite.tools.reference import Comparison, compare


@dataclass(frozen=True)
class Piece:
    """Some ops of a region as a graph of their own, with their inputs and outputs on the host."""

    graph: Graph
    inputs: Mapping[str, Array]
    outputs: Mapping[str, Array]

    @property
    def ops(self) -> list[str]:
        """The types of its ops."""
        return [node.op for node in self.graph]


class HostedRegion:
    """A region with the value of every tensor in it on the host, for given inputs."""

    def __init__(self, region: Region, inputs: Sequence[Array]) -> None:
        self.region = region
        self.graph = clone_graph(region.graph)
        self.nodes = list(self.graph)
        self._values: dict[Value, Array] = dict(zip(self.graph.args, inputs, strict=True))
        for node in self.nodes:
            given = {slot: [self._array(v) for v in values] for slot, values in node.inputs.items()}
            counts = {slot: len(values) for slot, values in node.outputs.items()}
            found = evaluate(node.op, given, node.attrs, counts)
            for slot, values in node.outputs.items():
                arrays = (result.array for result in found[slot])
                self._values.update((v, a) for v, a in zip(values, arrays, strict=True) if a is not None)

    def piece(self, nodes: Sequence[Node]) -> Piece:
        """Some ops, in running order; its outputs are what the other ops, or nobody, read."""
        inside = set(nodes)
        graph = Graph(name=self.graph.name)
        read = dict.fromkeys(value for node in nodes for value in node.all_inputs() if value.data is None)
        values: dict[Value, Value] = {}
        inputs: dict[str, Array] = {}
        for value in read:
            if value.producer not in inside:
                arg = values[value] = graph.add_arg(_unused(value.name, inputs))
                inputs[arg.name] = np.ascontiguousarray(self._values[value])
                arg.dtype, arg.shape = DType.from_numpy(inputs[arg.name].dtype), inputs[arg.name].shape
        copy_nodes(nodes, graph, values)
        outputs: dict[str, Array] = {}
        results = []
        for value in (value for node in nodes for value in node.all_outputs()):
            if value in self._values and (
                value.is_result or not value.users or not inside.issuperset(value.users)
            ):
                results.append(values[value])
                outputs[_unused(value.label, {**inputs, **outputs})] = self._values[value]
        graph.set_results(results, list(outputs))
        infer_metas(graph)
        return Piece(graph, inputs, outputs)

    def _array(self, value: Value) -> Array:
        return self._values[value] if value.data is None else value.data


@dataclass(frozen=True)
class PieceCheck:
    """How a piece does on its device: the largest error of an output, and what is wrong, if anything."""

    error: float | None
    problem: str


def check_piece(piece: Piece, region: Region, settings: RegionSettings, tolerance: float) -> PieceCheck:
    """Compile and run a piece on the region's device and compare with the host."""
    alone = Region(region.id, region.device, piece.graph, (None,) * len(piece.outputs), memory=region.memory)
    inputs = list(piece.inputs.values())
    try:
        bound = SubgraphEngine(alone, settings).bind([Meta.of(array, known=False) for array in inputs])
        results = bound.run(inputs, [None] * len(piece.outputs))
    except (CompileError, ExecutionError) as error:
        return PieceCheck(None, f"{type(error).__name__}: {error}")
    found = [
        compare(name, np.asarray(on_host(result)), want, tolerance)
        for result, (name, want) in zip(results or (), piece.outputs.items(), strict=True)
    ]
    return PieceCheck(_worst(found), next((_text(each) for each in found if each.problem), ""))


def strict_settings(settings: RegionSettings) -> RegionSettings:
    """The settings under which nothing but the device answers, and nothing is kept."""
    return RegionSettings(settings.build, settings.run_passes, settings.make_host, fallback="error")


def _worst(found: Sequence[Comparison]) -> float | None:
    errors = [each.error for each in found]
    known = [error for error in errors if error is not None]
    return max(known, default=0.0) if len(known) == len(errors) else None


def _text(found: Comparison) -> str:
    error = "" if found.error is None else f", relative error {found.error:.3g}"
    return f"{found.name}: {found.problem}{error}"


def _unused(name: str, taken: Mapping[str, Array]) -> str:
    """`name`, with a number behind it where there is one already."""
    number, free = 0, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free
