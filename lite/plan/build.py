"""Graph → Plan: number the values, fix lifetimes, alias sets and in-place candidates."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from lite.errors import GraphError
from lite.ir.graph import SUBGRAPH, Graph, Node, Value
from lite.ir.program import VarKind
from lite.ir.types import HOST, Place
from lite.ops import OpSchema, get_schema
from lite.plan.lod import lod_sources, reads_lod, region_lod_sources, region_reads_lod
from lite.plan.plan import Instruction, Plan, Region, ValueInfo
from lite.plugin.boundary import at_boundary
from lite.plugin.device import Device, Memory
from lite.plugin.kernel.target import has_own_memory


def build_plan(graph: Graph, devices: Sequence[Device[Any]] = ()) -> Plan:
    """The plan of a graph and of the graphs nested in it, whose regions are for `devices`.

    Raises `GraphError` for a node without a picked kernel, unknown ops and attributes out of range.
    """
    return _PlanBuilder(graph, devices).build()


class _PlanBuilder:
    def __init__(self, graph: Graph, devices: Sequence[Device[Any]]) -> None:
        self.graph = graph
        self.devices = devices
        self.memories = functools.cache(_memory_of)
        self.nodes = list(graph)
        self.schemas = [get_schema(node.op) for node in self.nodes]
        self.values: list[Value] = [*graph.args, *graph.constants.values()]
        self.first = [-1] * len(self.values)
        for position, node in enumerate(self.nodes):
            for value in node.all_outputs():
                self.values.append(value)
                self.first.append(position)
        self.index = {value: n for n, value in enumerate(self.values)}
        self.last = list(self.first)
        self.roots = list(range(len(self.values)))

    def build(self) -> Plan:
        self._find_last_reads()
        self._find_roots()
        instructions = tuple(self._instruction(n) for n in range(len(self.nodes)))
        args = tuple(self.index[value] for value in self.graph.args)
        results = tuple(self.index[value] for value in self.graph.results)
        lods = reads_lod(instructions)
        return Plan(
            self.graph.name,
            tuple(self._info(n) for n in range(len(self.values))),
            args,
            results,
            tuple(self.graph.result_names),
            instructions,
            {n: value.data for n, value in enumerate(self.values) if value.data is not None},
            lods,
            () if lods else lod_sources(instructions, args, results),
        )

    def _find_last_reads(self) -> None:
        for position, node in enumerate(self.nodes):
            for value in node.all_inputs():
                self.last[self.index[value]] = position
        for value in self.graph.results:
            self.last[self.index[value]] = len(self.nodes)

    def _find_roots(self) -> None:
        for node, schema in zip(self.nodes, self.schemas, strict=True):
            for slot, source in ({} if _is_opaque(node) else schema.view or {}).items():
                if len(node.outputs.get(slot, ())) == 1 and len(node.inputs.get(source, ())) == 1:
                    out, root = self.index[node.output(slot)], self.roots[self.index[node.input(source)]]
                    self.roots[out] = root
                    self.last[root] = max(self.last[root], self.last[out])

    def _info(self, n: int) -> ValueInfo:
        value = self.values[n]
        is_array = value.kind == VarKind.TENSOR_ARRAY
        on_target = value.place is not None and has_own_memory(value.place.target)
        opaque = on_target or self._stays(value)
        lifetime = self.first[n], self.last[n], self.roots[n]
        return ValueInfo(value.label, value.dtype, value.shape, *lifetime, is_array, opaque)

    def _instruction(self, position: int) -> Instruction:
        node, schema = self.nodes[position], self.schemas[position]
        if node.place is None and not schema.control_flow:
            raise GraphError(f"{node!r} has no picked kernel; static_kernel_pick_pass must run before")
        attrs = node.attrs if schema.control_flow else schema.attr_values(node.attrs)
        where = str(node.attrs.get("device", HOST)) if node.op == SUBGRAPH else HOST
        return Instruction(
            node.op,
            {slot: self._indices(values) for slot, values in node.inputs.items()},
            {slot: self._indices(values) for slot, values in node.outputs.items()},
            attrs,
            node.place or Place(where),
            self._inplace(position, node, schema),
            () if node.op == SUBGRAPH else tuple(build_plan(block, self.devices) for block in node.blocks),
            self._region(node) if node.op == SUBGRAPH else None,
        )

    def _region(self, node: Node) -> Region:
        name, number, [graph] = node.attrs["device"], node.attrs["region"], node.blocks
        device = next((device for device in self.devices if device.name == name), None)
        if device is None or not isinstance(number, int):
            known = ", ".join(device.name for device in self.devices) or "none"
            raise GraphError(f"{node!r} is for device {name!r}; devices that are open: {known}")
        reads = region_reads_lod(graph)
        return Region(number, device, graph, region_lod_sources(graph), reads, self._memory(node))

    def _memory(self, node: Node) -> Memory | None:
        """The own memory of a region's device."""
        device = next(device for device in self.devices if device.name == node.attrs["device"])
        return self.memories(device)

    def _stays(self, value: Value) -> bool:
        """Whether only regions of the device that made it read a value, in the device's own memory."""
        made = value.producer
        if made is None or made.op != SUBGRAPH or value.is_result or self._memory(made) is None:
            return False
        return all(
            user.op == SUBGRAPH and user.attrs["device"] == made.attrs["device"] for user in value.users
        )

    def _indices(self, values: Sequence[Value]) -> tuple[int, ...]:
        return tuple(self.index[value] for value in values)

    def _inplace(self, position: int, node: Node, schema: OpSchema) -> tuple[tuple[int, int], ...]:
        pairs = []
        for slot, source in ({} if _is_opaque(node) else schema.inplace or {}).items():
            if len(node.outputs.get(slot, ())) != 1 or len(node.inputs.get(source, ())) != 1:
                continue
            out, taken = self.index[node.output(slot)], self.index[node.input(source)]
            root = self.roots[taken]
            others = [self.index[value] for value in node.all_inputs() if self.index[value] != taken]
            shared = any(self.roots[other] == root for other in others)
            if self.first[root] >= 0 and self.last[root] == position and not shared:
                pairs.append((out, taken))
        return tuple(pairs)


def _memory_of(device: Device[Any]) -> Memory | None:
    return at_boundary(device.name, "opening its memory", device.memory)


def _is_opaque(node: Node) -> bool:
    """Whether the node's kernel works on objects of its target instead of arrays."""
    return node.place is not None and has_own_memory(node.place.target)
