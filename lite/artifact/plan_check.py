"""Checks a plan that was read from a file: whatever can be derived from the instructions is derived again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lite.errors import GraphError
from lite.ir.graph import SUBGRAPH
from lite.ir.types import Array, DType
from lite.ir.verify import verify
from lite.ops import check_slots, get_schema
from lite.plan import Instruction, Plan, Region, ValueInfo
from lite.plan.assemble import assemble_plan, every_index
from lite.plan.lod import region_lod_sources, region_reads_lod
from lite.plugin.kernel import KERNELS
from lite.plugin.kernel.target import has_own_memory


def checked_plan(plan: Plan) -> Plan:
    """The plan with its attributes, aliases, lifetimes and LoD sources derived again.

    Raises `GraphError` where ops, slots, attributes, kernels or the order of the instructions are not valid.
    """
    values = plan.values
    _require(all(isinstance(info.name, str) for info in values), "a value has no name")
    for what, indices in (("argument", plan.args), ("result", plan.results), ("constant", plan.constants)):
        _check_indices(f"{what}s", tuple(indices), len(values))
    _require(len(set(plan.args)) == len(plan.args), "an argument is there twice")
    _require(len(plan.results) == len(plan.result_names), "results and their names differ in number")
    _require(all(isinstance(name, str) for name in plan.result_names), "a result has no name")
    _require(plan.constants.keys().isdisjoint(plan.args), "an argument is a constant")
    known = {*plan.args, *plan.constants}
    instructions = []
    roots = list(range(len(values)))
    for position, item in enumerate(plan.instructions):
        checked = _checked_instruction(item, f"instruction {position} ({item.op})", values, known)
        for out, source in _pairs(checked, get_schema(item.op).view):
            roots[out] = roots[source]
        instructions.append(checked)
    _require(known.issuperset(plan.results), "no instruction writes a result")
    _check_opaque(values, instructions)
    for index, array in plan.constants.items():
        _check_constant(values[index], array)
    return assemble_plan(
        str(plan.name),
        [replace(info, root=roots[index]) for index, info in enumerate(values)],
        plan.args,
        plan.results,
        plan.result_names,
        instructions,
        plan.constants,
    )


def _checked_instruction(
    item: Instruction, where: str, values: Sequence[ValueInfo], known: set[int]
) -> Instruction:
    """The instruction with what follows from its schema; its outputs are then `known`."""
    schema = get_schema(item.op)
    for slots in (item.inputs, item.outputs):
        for slot, indices in slots.items():
            _check_indices(f"{where}, slot {slot}", indices, len(values))
    outputs = list(every_index(item.outputs))
    _require(known.issuperset(every_index(item.inputs)), f"{where} reads a value that is not known yet")
    _require(len(set(outputs)) == len(outputs) and known.isdisjoint(outputs), f"{where} writes a value again")
    known.update(outputs)
    is_region = item.op == SUBGRAPH
    _require(is_region == (item.region is not None), f"{where}: only {SUBGRAPH} has a region")
    if item.region is not None:
        return replace(item, region=_checked_region(item, item.region, where), inplace=(), blocks=())
    if schema.control_flow:
        blocks = tuple(checked_plan(block) for block in item.blocks)
        _check_blocks(item, blocks, where)
        return replace(item, blocks=blocks, inplace=())
    _require(not item.blocks, f"{where}: it has blocks")
    sizes = [{slot: len(indices) for slot, indices in slots.items()} for slots in (item.inputs, item.outputs)]
    check_slots(schema, *sizes)
    if (item.op, item.place) not in KERNELS:
        raise GraphError(f"{where}: there is no kernel for {item.place}")
    return replace(item, attrs=schema.attr_values(item.attrs), inplace=tuple(_pairs(item, schema.inplace)))


def _checked_region(item: Instruction, region: Region, where: str) -> Region:
    verify(region.graph)
    sizes = len(region.graph.args), len(region.graph.results)
    given = len(item.inputs.get("Inputs", ())), len(item.outputs.get("Outputs", ()))
    _require(sizes == given, f"{where}: the region has {sizes} inputs and outputs, the instruction {given}")
    _require(type(region.id) is int, f"{where}: the region has no number")
    _require(item.inputs.keys() <= {"Inputs"} and item.outputs.keys() == {"Outputs"}, f"{where}: its slots")
    return replace(
        region, lod_sources=region_lod_sources(region.graph), reads_lod=region_reads_lod(region.graph)
    )


def _check_blocks(item: Instruction, blocks: Sequence[Plan], where: str) -> None:
    """Check that each block takes and returns as many values as the instruction passes to it."""
    _require(bool(blocks), f"{where}: it has no block")
    for block in blocks:
        inputs = sum(map(len, item.inputs.values()))
        _require(len(block.args) <= inputs, f"{where}: a block takes {len(block.args)} values of {inputs}")
    _require(
        type(item.attrs.get("carried", 0)) is int
        and 0 <= item.carried <= len(list(every_index(item.inputs))),
        f"{where}: carried",
    )


def _pairs(item: Instruction, slots: Mapping[str, str] | None) -> list[tuple[int, int]]:
    """The outputs and inputs in pairs of slots that hold one value each, as `build_plan` makes them."""
    if has_own_memory(item.place.target):
        return []
    return [
        (item.outputs[slot][0], item.inputs[source][0])
        for slot, source in (slots or {}).items()
        if len(item.outputs.get(slot, ())) == 1 and len(item.inputs.get(source, ())) == 1
    ]


def _check_opaque(values: Sequence[ValueInfo], instructions: Sequence[Instruction]) -> None:
    """Check that opaque values are written in the memory of a device or target."""
    for item in instructions:
        own = has_own_memory(item.place.target) or (
            item.region is not None and item.region.memory is not None
        )
        for index in every_index(item.outputs):
            _require(own or not values[index].opaque, f"value {values[index].name} is in no device's memory")
    written = {index for item in instructions for index in every_index(item.outputs)}
    for index, info in enumerate(values):
        _require(index in written or not info.opaque, f"value {info.name} is in no device's memory")


def _check_constant(info: ValueInfo, array: Array) -> None:
    if info.dtype is not None and DType.from_numpy(array.dtype) is not info.dtype:
        raise GraphError(f"constant {info.name} has elements of {array.dtype}, expected {info.dtype}")
    if info.shape is not None and tuple(info.shape) != array.shape:
        raise GraphError(
            f"constant {info.name} has the shape {list(array.shape)}, expected {list(info.shape)}"
        )


def _check_indices(where: str, indices: Sequence[Any], count: int) -> None:
    if not all(type(index) is int and 0 <= index < count for index in indices):
        raise GraphError(f"{where}: expected numbers of {count} values, got {list(indices)}")


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise GraphError(f"the plan is not valid: {sentence}")
