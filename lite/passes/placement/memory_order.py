"""The nodes of a graph in an order that needs less memory for the values between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.ir.graph import Graph, Node, Value
from lite.ir.program import VarKind
from lite.ir.types import HOST
from lite.memory import Request, Strategy, aligned
from lite.memory.order import OrderedOp, least_peak_order
from lite.ops import get_schema
from lite.plugin.kernel.target import has_own_memory

MOST_NODES = 3000
"""Larger graphs stay as they are: the search would take seconds."""


def memory_order(graph: Graph, strategy: Strategy) -> list[Node] | None:
    """The nodes in another order, in which the arena is smaller; None where none was found.

    All sizes must be known, but for the first one of each shape, the size of the batch: with others, an order
    that is better for some shapes may be worse for others.
    """
    nodes = list(graph)
    if not 2 < len(nodes) <= MOST_NODES:
        return None
    roots = _roots(nodes)
    buffers = {root: n for n, root in enumerate(dict.fromkeys(roots.values()))}
    sizes = [_bytes(root) for root in buffers]
    known = [size for size in sizes if size is not None]
    if len(known) != len(sizes):
        return None
    ops = _ops(graph, nodes, roots, buffers)
    order = least_peak_order(ops, known)
    present = list(range(len(nodes)))
    if order == present or _arena(ops, known, order, strategy) >= _arena(ops, known, present, strategy):
        return None
    return [nodes[n] for n in order]


def _roots(nodes: Sequence[Node]) -> dict[Value, Value]:
    """For each value that a node writes the one whose memory it shares, itself if there is none."""
    roots: dict[Value, Value] = {}
    for node in nodes:
        own = node.place is not None and has_own_memory(node.place.target)
        views: Mapping[str, str] = {} if own else get_schema(node.op).view or {}
        for slot, values in node.outputs.items():
            sources: Sequence[Value] = node.inputs.get(views.get(slot, ""), [])
            for value in values:
                is_view = len(values) == 1 and len(sources) == 1
                roots[value] = roots.get(sources[0], sources[0]) if is_view else value
    return roots


def _bytes(value: Value) -> int | None:
    """The bytes in the arena of one element of the batch; None where they are unknown."""
    if value.producer is None or value.is_result or value.kind is VarKind.TENSOR_ARRAY:
        return 0
    if value.shape is None or value.dtype is None:
        return None
    rest = [dim for n, dim in enumerate(value.shape) if isinstance(dim, int) or n]
    size = value.dtype.itemsize
    for dim in rest:
        if not isinstance(dim, int):
            return None
        size *= dim
    return aligned(size)


def _ops(
    graph: Graph, nodes: Sequence[Node], roots: dict[Value, Value], buffers: dict[Value, int]
) -> list[OrderedOp]:
    number = {node: n for n, node in enumerate(nodes)}
    before = {after: first for first, after in graph.effect_edges()}
    ops = []
    for node in nodes:
        inputs = [value for value in node.all_inputs() if value in roots]
        reads = {buffers[roots[value]] for value in inputs}
        writes = [buffers[value] for value in node.all_outputs() if roots[value] is value]
        producers = {number[value.producer] for value in node.all_inputs() if value.producer is not None}
        if node in before:
            producers.add(number[before[node]])
        reuses = [
            (buffers[out], buffers[roots[source]])
            for out, source in _reuses(node)
            if roots.get(out) is out and source in roots and _are_alike(out, source)
        ]
        ops.append(OrderedOp(tuple(sorted(reads)), tuple(writes), tuple(sorted(producers)), tuple(reuses)))
    return ops


def _reuses(node: Node) -> list[tuple[Value, Value]]:
    if node.place is None or node.place.target not in (HOST, "cpu"):
        return []
    pairs = (get_schema(node.op).inplace or {}).items()
    return [
        (node.outputs[out][0], node.inputs[source][0])
        for out, source in pairs
        if len(node.outputs.get(out, ())) == 1 and len(node.inputs.get(source, ())) == 1
    ]


def _are_alike(one: Value, other: Value) -> bool:
    return one.shape == other.shape and one.dtype is other.dtype


def _arena(ops: Sequence[OrderedOp], sizes: Sequence[int], order: Sequence[int], strategy: Strategy) -> int:
    """The bytes of the arena if the ops run in this order."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for position, n in enumerate(order):
        for buffer in ops[n].writes:
            first[buffer] = last[buffer] = position
        for buffer in ops[n].reads:
            last[buffer] = position
    owner: dict[int, int] = {}
    requests: dict[int, Request] = {}
    for position, n in enumerate(order):
        reuses = dict(ops[n].reuses)
        for buffer in ops[n].writes:
            source = reuses.get(buffer)
            if source in first and last[source] == position and source is not None:
                owner[buffer] = owner[source]
                old = requests[owner[buffer]]
                requests[owner[buffer]] = Request(old.size, old.first, max(old.last, last[buffer]))
            else:
                owner[buffer] = buffer
                requests[buffer] = Request(sizes[buffer], position, last[buffer])
    return strategy(list(requests.values()))[1]
