"""How LoDs propagate through a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.ir.graph import Graph, Value
from lite.ops import get_schema
from lite.ops.schema import LOD_BY_KERNEL, LOD_BY_RULE
from lite.plan.plan import Instruction, Region


def reads_lod(instructions: Sequence[Instruction]) -> bool:
    """Whether an instruction uses a LoD in any other way than passing it on to its outputs."""
    return any(_reads_lod(item.op) if item.region is None else item.region.reads_lod for item in instructions)


def lod_sources(
    instructions: Sequence[Instruction], args: Sequence[int], results: Sequence[int]
) -> tuple[int | None, ...]:
    """For each result the position of the argument whose LoD it has; None for no LoD."""
    source: dict[int, int | None] = {index: position for position, index in enumerate(args)}
    for item in instructions:
        if item.region is not None:
            source.update(_through_region(item, item.region, source))
            continue
        shared = item.inputs.get(get_schema(item.op).lod or "", ())
        position = source.get(shared[0]) if shared else None
        if position is not None:
            source.update((index, position) for indices in item.outputs.values() for index in indices)
    return tuple(source.get(index) for index in results)


def region_reads_lod(graph: Graph) -> bool:
    """Whether an op in a region uses a LoD in any other way than passing it on to its outputs."""
    return any(_reads_lod(node.op) for node in graph)


def _reads_lod(op: str) -> bool:
    schema = get_schema(op)
    return schema.control_flow or schema.lod in (LOD_BY_KERNEL, LOD_BY_RULE)


def region_lod_sources(graph: Graph) -> tuple[int | None, ...]:
    """For each result of a region the position of the argument whose LoD it has; None for no LoD."""
    source: dict[Value, int | None] = {value: position for position, value in enumerate(graph.args)}
    for node in graph:
        shared = node.inputs.get(get_schema(node.op).lod or "", ())
        position = source.get(shared[0]) if shared else None
        if position is not None:
            source.update((value, position) for value in node.all_outputs())
    return tuple(source.get(value) for value in graph.results)


def _through_region(
    item: Instruction, region: Region, source: Mapping[int, int | None]
) -> dict[int, int | None]:
    inputs, outputs = item.inputs.get("Inputs", ()), item.outputs.get("Outputs", ())
    return {
        index: None if position is None else source.get(inputs[position])
        for index, position in zip(outputs, region.lod_sources, strict=True)
    }
