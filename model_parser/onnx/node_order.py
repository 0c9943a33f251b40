"""The topological order of nodes: every value is written before it is read."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence, Set

from lite.errors import ModelParseError
from lite.model_parser.onnx.messages import GraphProto, NodeProto
from lite.model_parser.onnx.traversal import initialiser_names, nested_graphs


def order_nodes(graph: GraphProto, source: str, outer: Set[str] = frozenset()) -> None:
    """Sort the nodes of a graph and of its nested graphs; nodes that are in order keep their order.

    `outer` are the values of enclosing graphs.  Raises `ModelParseError` for two writers of a name, a
    name without a writer, and a cycle.
    """
    writers = _writers(graph, source)
    visible = outer | set(writers)
    for node in graph.node:
        for name in node.input:
            if name and name not in visible:
                raise ModelParseError(
                    f"{source}: {_title(node)} reads {name!r}, which is no input, initialiser or output of a "
                    "node"
                )
        for nested in nested_graphs(node):
            order_nodes(nested, source, visible)
    for value in graph.output:
        if value.name not in visible:
            raise ModelParseError(
                f"{source}: output {value.name!r} is no input, initialiser or output of a node"
            )
    if not _in_order(graph.node, writers):
        nodes = _sorted(graph.node, source)
        del graph.node[:]
        graph.node.extend(nodes)


def _writers(graph: GraphProto, source: str) -> dict[str, str]:
    """The writer of each value in words; an initialiser may have the name of an input."""
    writers: dict[str, str] = {}
    for kind, names in (
        ("an input", [value.name for value in graph.input]),
        ("an initialiser", initialiser_names(graph)),
    ):
        for name in names:
            if writers.get(name) == kind:
                raise ModelParseError(f"{source}: {name!r} is the name of two values, each {kind}")
            writers[name] = kind
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


def _in_order(nodes: Sequence[NodeProto], writers: dict[str, str]) -> bool:
    written = {name for node in nodes for name in node.output}
    ready = set(writers) - written
    for node in nodes:
        if any(name in written and name not in ready for name in _read(node)):
            return False
        ready.update(node.output)
    return True


def _sorted(nodes: Sequence[NodeProto], source: str) -> list[NodeProto]:
    """The topological order by A. B. Kahn (1962), in which nodes that are ready keep their order."""
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
    return [NodeProto.FromString(nodes[n].SerializeToString()) for n in order]


def _read(node: NodeProto) -> Iterable[str]:
    """The names that a node reads, with those that its nested graphs read from outside."""
    yield from node.input
    for graph in nested_graphs(node):
        own = {value.name for value in graph.input} | set(initialiser_names(graph))
        own |= {name for inner in graph.node for name in inner.output}
        read = [name for inner in graph.node for name in _read(inner)]
        yield from (name for name in (*read, *(value.name for value in graph.output)) if name not in own)


def _title(node: NodeProto) -> str:
    return f"node {node.name or list(node.output[:1])} ({node.op_type})"
