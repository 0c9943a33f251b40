"""Graph → Plan: number the values, find views and in-place candidates, assemble the instructions."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lite.errors import GraphError
from lite.ir.graph import SUBGRAPH, Graph, Node, Value
from lite.ir.program import VarKind
from lite.ir.types import HOST, Layout, Place
from lite.ops import get_schema
from lite.plan.assemble import assemble_plan
from lite.plan.block_order import known_sizes_first
from lite.plan.lod import region_lod_sources, region_reads_lod
from lite.plan.plan import Instruction, Plan, Region, ValueInfo
from lite.plugin.boundary import at_boundary
from lite.plugin.device import Device, Memory
from lite.plugin.kernel.target import has_own_memory


def build_plan(graph: Graph, devices: Sequence[Device[Any]] = (), *, is_block: bool = False) -> Plan:
    """The plan of a graph and of the graphs nested in it, whose regions are for `devices`.

    In a block of a loop or branch, nodes whose sizes are known come first (`block_order`).

    Raises `GraphError` for a node without a picked kernel, for unknown ops and for invalid attributes,
    and `CompileError` for a device that fails to open its memory.
    """
    return _PlanBuilder(graph, devices, is_block).build()


class _PlanBuilder:
    """Builds the plan of one graph; `index` numbers arguments, constants and outputs, in this order."""

    def __init__(self, graph: Graph, devices: Sequence[Device[Any]], is_block: bool) -> None:
        self.graph = graph
        self.is_block = is_block
        self.devices = devices
        self.memory_of = functools.cache(_memory_of)
        outputs = (value for node in graph for value in node.all_outputs())
        self.values: list[Value] = [*graph.args, *graph.constants.values(), *outputs]
        self.index = {value: n for n, value in enumerate(self.values)}

    def build(self) -> Plan:
        nodes = known_sizes_first(self.graph) if self.is_block else [*self.graph]
        instructions = [self._instruction(node) for node in nodes]
        roots = self._roots()
        return assemble_plan(
            self.graph.name,
            [self._info(value, root) for value, root in zip(self.values, roots, strict=True)],
            self._indices(self.graph.args),
            self._indices(self.graph.results),
            tuple(self.graph.result_names),
            instructions,
            {n: value.data for n, value in enumerate(self.values) if value.data is not None},
        )

    def _roots(self) -> list[int]:
        """For each value the value whose bytes it shares, itself if there is none."""
        roots = list(range(len(self.values)))
        for node in self.graph:
            for out, source in self._pairs(node, get_schema(node.op).view):
                roots[out] = roots[source]
        return roots

    def _pairs(self, node: Node, slots: Mapping[str, str] | None) -> Iterator[tuple[int, int]]:
        """The outputs and inputs in pairs of slots that hold one value each.

        A node on a target with memory of its own has none: its values are objects, not arrays.
        """
        if node.place is not None and has_own_memory(node.place.target):
            return
        for slot, source in (slots or {}).items():
            if len(node.outputs.get(slot, ())) == 1 and len(node.inputs.get(source, ())) == 1:
                yield self.index[node.output(slot)], self.index[node.input(source)]

    def _info(self, value: Value, root: int) -> ValueInfo:
        is_array = value.kind == VarKind.TENSOR_ARRAY
        on_target = value.place is not None and has_own_memory(value.place.target)
        opaque = on_target or self._stays_on_device(value)
        channels_last = value.place is not None and value.place.layout is Layout.NHWC
        return ValueInfo(value.label, value.dtype, value.shape, -1, -1, root, is_array, opaque, channels_last)

    def _instruction(self, node: Node) -> Instruction:
        schema = get_schema(node.op)
        if node.place is None and not schema.control_flow:
            raise GraphError(f"{node!r} has no picked kernel; static_kernel_pick_pass must run before")
        is_region = node.op == SUBGRAPH
        return Instruction(
            node.op,
            {slot: self._indices(values) for slot, values in node.inputs.items()},
            {slot: self._indices(values) for slot, values in node.outputs.items()},
            node.attrs if schema.control_flow else schema.attr_values(node.attrs),
            node.place or Place(str(node.attrs.get("device", HOST)) if is_region else HOST),
            tuple(self._pairs(node, schema.inplace)),
            () if is_region else tuple(self._block(block) for block in node.blocks),
            self._region(node) if is_region else None,
        )

    def _block(self, block: Graph) -> Plan:
        return build_plan(block, self.devices, is_block=True)

    def _region(self, node: Node) -> Region:
        name, number, [graph] = node.attrs["device"], node.attrs["region"], node.blocks
        device = next((device for device in self.devices if device.name == name), None)
        if device is None or not isinstance(number, int):
            known = ", ".join(device.name for device in self.devices) or "none"
            raise GraphError(f"{node!r} is for device {name!r}; devices that are open: {known}")
        sources, reads_lod = region_lod_sources(graph), region_reads_lod(graph)
        return Region(number, device, graph, sources, reads_lod, self.memory_of(device))

    def _stays_on_device(self, value: Value) -> bool:
        """Whether only regions of the device that writes a value read it, in the device's own memory."""
        producer = value.producer
        if producer is None or producer.op != SUBGRAPH or value.is_result:
            return False
        name = producer.attrs["device"]
        device = next(device for device in self.devices if device.name == name)
        same = all(user.op == SUBGRAPH and user.attrs["device"] == name for user in value.users)
        return same and self.memory_of(device) is not None

    def _indices(self, values: Sequence[Value]) -> tuple[int, ...]:
        return tuple(self.index[value] for value in values)


def _memory_of(device: Device[Any]) -> Memory | None:
    return at_boundary(device.name, "opening its memory", device.memory)
