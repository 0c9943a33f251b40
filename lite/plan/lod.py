"""How LoDs go through a plan."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ops import get_schema
from lite.ops.schema import LOD_BY_KERNEL, LOD_BY_RULE
from lite.plan.plan import Instruction


def reads_lod(instructions: Sequence[Instruction]) -> bool:
    """Whether the result of one of them depends on LoDs beyond sharing them."""
    schemas = (get_schema(item.op) for item in instructions)
    return any(s.control_flow or s.lod in (LOD_BY_KERNEL, LOD_BY_RULE) for s in schemas)


def lod_sources(
    instructions: Sequence[Instruction], args: Sequence[int], results: Sequence[int]
) -> tuple[int | None, ...]:
    """For each result the position of the argument whose LoD it shares, None where it has none."""
    source: dict[int, int | None] = {index: position for position, index in enumerate(args)}
    for item in instructions:
        shared = item.inputs.get(get_schema(item.op).lod or "", ())
        found = source.get(shared[0]) if shared else None
        if found is not None:
            source.update((index, found) for indices in item.outputs.values() for index in indices)
    return tuple(source.get(index) for index in results)
