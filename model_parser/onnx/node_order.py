"""Nodes in an order in which every value is written before it is read."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence, Set

import onnx

from lite.errors import ModelParseError
from lite.model_parser.onnx.nested_graphs import nested_graphs


def order_nodes(graph: onnx.GraphProto, source: str, outer: Set[str] = frozenset()) -> None:
    """Check that each value is written once and before it is read; sort nodes that are not in order.

    Graphs in attributes too; `outer` are the values that they may read besides.  The order stays where
    it is right.  Raises `ModelParseError`: two writers of a name, a name that nothing writes, a cycle.
    """
    writers = _writers(graph, source)
    visible = outer | set(writers)
    for node in graph.node:
        for name in node.input:
            if name and name not in visible:
                raise ModelParseError(f"{source}: {_title(node)} reads {name!r}, which nothing writes")
        for nested in nested_graphs(node):
            order_nodes(nested, source, visible)
    for value in graph.output:
        if value.name not in visible:
            raise ModelParseError(f"{source}: output {value.name!r} is written by nothing")
    if not _in_order(graph.node, writers):
        nodes = _sorted(graph.node, source)
        del graph.node[:]
        graph.node.extend(nodes)


def _writers(graph: onnx.GraphProto, source: str) -> dict[str, str]:
    """What writes each value of a graph; an initialiser that is an input too is one of them."""
    writers: dict[str, str] = {}
    for what, names in (
        ("an input", [value.name for value in graph.input]),
        ("an initialiser", _initialisers(graph)),
    ):
        for name in names:
            if writers.get(name) == what:
                raise ModelParseError(f"{source}: {name!r} is the name of two values, each {what}")
            writers[name] = what
    for node in graph.node:
        for name in node.output:
            if name and name in writers:
                raise ModelParseError(
                    f"{source}: {name!r} is the name of two values: {writers[name]} and an output of "
                    f"{_title(node)}"
                )
            if name:
                writers[name] = _title(node)
    return writers


def _initialisers(graph: onnx.GraphProto) -> list[str]:
    dense = [tensor.name for tensor in graph.initializer]
    return [*dense, *(sparse.values.name for sparse in graph.sparse_initializer)]


def _in_order(nodes: Sequence[onnx.NodeProto], writers: dict[str, str]) -> bool:
    written = {name for node in nodes for name in node.output}
    ready = set(writers) - written
    for node in nodes:
        if any(name in written and name not in ready for name in _read(node)):
            return False
        ready.update(node.output)
    return True


def _sorted(nodes: Sequence[onnx.NodeProto], source: str) -> list[onnx.NodeProto]:
    """A. B. Kahn's topological order; nodes that are ready at once stay in their order."""
    writer = {name: n for n, node in enumerate(nodes) for name in node.output if name}
    needs = [{writer[name] for name in _read(node) if name in writer} for node in nodes]
    readers: list[list[int]] = [[] for _ in nodes]
    for n, needed in enumerate(needs):
        for other in needed:
            readers[other].append(n)
    waiting = [len(needed) for needed in needs]
    ready = deque(n for n, count in enumerate(waiting) if not count)
    order: list[int] = []
    while ready:
        n = ready.popleft()
        order.append(n)
        for reader in readers[n]:
            waiting[reader] -= 1
            if not waiting[reader]:
                ready.append(reader)
    if len(order) < len(nodes):
        cycle = ", ".join(_title(nodes[n]) for n, count in enumerate(waiting) if count)
        raise ModelParseError(f"{source}: these nodes wait for each other's results: {cycle}")
    return [onnx.NodeProto.FromString(nodes[n].SerializeToString()) for n in order]


def _read(node: onnx.NodeProto) -> Iterable[str]:
    """What a node reads, in the graphs of its attributes too where these do not write it themselves."""
    yield from node.input
    for graph in nested_graphs(node):
        own = {value.name for value in graph.input} | set(_initialisers(graph))
        own |= {name for inner in graph.node for name in inner.output}
        read = [name for inner in graph.node for name in _read(inner)]
        yield from (name for name in (*read, *(value.name for value in graph.output)) if name not in own)


def _title(node: onnx.NodeProto) -> str:
    return f"node {node.name or list(node.output[:1])} ({node.op_type})"
