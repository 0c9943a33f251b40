"""Parts of a region, run on the region's device and on the host with the same inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.errors import CompileError, ExecutionError
from lite.ir.clone import clone_graph, copy_nodes
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import Array, DType
from lite.ops import Meta
from lite.ops.infer_graph import infer_metas
from lite.passes.quantize.restore_quantization_pass import restore
from lite.plan import Region
from lite.plugin.kernel import evaluate
from lite.runtime.regions.device_tensor import on_host
from lite.runtime.regions.engine import SubgraphEngine
from lite.runtime.regions.settings import RegionSettings
from lite.tools.arrays.comparison import compare, largest_error


@dataclass(frozen=True)
class RegionPart:
    """Some ops of a region as a separate graph, with their inputs and outputs on the host."""

    graph: Graph
    inputs: Mapping[str, Array]
    outputs: Mapping[str, Array]

    @property
    def ops(self) -> list[str]:
        """The types of its ops."""
        return [node.op for node in self.graph]


class EvaluatedRegion:
    """A region with all its values, which the host computed from `inputs`."""

    def __init__(self, region: Region, inputs: Sequence[Array]) -> None:
        self.region = region
        self.graph = clone_graph(region.graph)
        restore(self.graph)
        self.nodes = list(self.graph)
        self._values: dict[Value, Array] = dict(zip(self.graph.args, inputs, strict=True))
        for node in self.nodes:
            arrays = {slot: [self._array(v) for v in values] for slot, values in node.inputs.items()}
            counts = {slot: len(values) for slot, values in node.outputs.items()}
            results = evaluate(node.op, arrays, node.attrs, counts)
            for slot, values in node.outputs.items():
                outputs = (result.array for result in results[slot])
                self._values.update((v, a) for v, a in zip(values, outputs, strict=True) if a is not None)

    def part(self, nodes: Sequence[Node]) -> RegionPart:
        """The part with the ops `nodes`, in running order.

        Its outputs are the values that ops outside the part read, and those that no op reads.
        """
        inside = set(nodes)
        graph = Graph(name=self.graph.name)
        read = dict.fromkeys(value for node in nodes for value in node.all_inputs() if value.data is None)
        values: dict[Value, Value] = {}
        inputs: dict[str, Array] = {}
        for value in read:
            if value.producer not in inside:
                arg = values[value] = graph.add_arg(_unique_name(value.name, inputs))
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
                outputs[_unique_name(value.label, {**inputs, **outputs})] = self._values[value]
        graph.set_results(results, list(outputs))
        infer_metas(graph)
        return RegionPart(graph, inputs, outputs)

    def _array(self, value: Value) -> Array:
        return self._values[value] if value.data is None else value.data


@dataclass(frozen=True)
class PartCheck:
    """A part on its device: the largest error of an output, and the problem, "" for none."""

    error: float | None
    problem: str


def check_part(part: RegionPart, region: Region, settings: RegionSettings, tolerance: float) -> PartCheck:
    """Compile and run a part on the region's device, and compare the outputs with the host's."""
    alone = Region(region.id, region.device, part.graph, (None,) * len(part.outputs), memory=region.memory)
    inputs = list(part.inputs.values())
    try:
        bound = SubgraphEngine(alone, settings).bind([Meta.of(array, known=False) for array in inputs])
        results = bound.run(inputs, [None] * len(part.outputs))
    except (CompileError, ExecutionError) as error:
        return PartCheck(None, f"{type(error).__name__}: {error}")
    comparisons = [
        compare(name, np.asarray(on_host(result)), expected, tolerance)
        for result, (name, expected) in zip(results or (), part.outputs.items(), strict=True)
    ]
    problem = next((each.description for each in comparisons if each.problem), "")
    return PartCheck(largest_error(each.error for each in comparisons), problem)


def strict_settings(settings: RegionSettings) -> RegionSettings:
    """`settings` without the fallback to the host and without the cache."""
    return RegionSettings(settings.build, settings.run_passes, settings.make_host, fallback="error")


def _unique_name(name: str, taken: Mapping[str, Array]) -> str:
    """`name`, with a number appended if `taken` has it."""
    number, unique = 0, name
    while unique in taken:
        number += 1
        unique = f"{name}_{number}"
    return unique
