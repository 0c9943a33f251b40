"""Groups of elementwise nodes that become one op without a cycle in the graph."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from lite.ir.graph import Graph, Node
from lite.ir.types import UNKNOWN, Shape


def elementwise_groups(graph: Graph, chosen: Collection[Node]) -> list[list[Node]]:
    """The `chosen` nodes in groups, each in running order; a single node is a group, too.

    Two nodes may be in one group if one reads the other and their results may have one shape.  Each node
    has a phase, which grows along every path that leaves a group.  As all nodes of a group have one phase,
    no path leads from a group back into it, or to another group and back.
    """
    links = _Links(graph, chosen)
    phases = _first_phases(graph, links)
    for group in reversed(_connected(chosen, links, phases)):
        latest = min(_limits(group, links, phases), default=None)
        if latest is not None:
            phases.update((node, max(phases[node], latest)) for node in group)
    return _connected(chosen, links, phases)


class _Links:
    """The dependencies of each node, and the neighbours that belong together."""

    def __init__(self, graph: Graph, chosen: Collection[Node]) -> None:
        self._chosen = frozenset(chosen)
        self.writers = {node: _distinct(value.producer for value in node.all_inputs()) for node in graph}
        for before, after in graph.effect_edges():
            self.writers[after].append(before)
        self._classes = _shape_classes(chosen, self.writers)

    def together(self, writer: Node, reader: Node) -> bool:
        """Whether these neighbours may be in one group."""
        if writer not in self._chosen or reader not in self._chosen:
            return False
        # A part of the model (`run_part`) may begin after a result.
        value = writer.output()
        return (
            not value.is_result
            and self._classes[writer] is self._classes[reader]
            and _may_be_equal(value.shape, reader.output().shape)
        )

    def step(self, writer: Node, reader: Node) -> int:
        """The least growth of the phase from a node to one that reads it."""
        return int(writer in self._chosen and not self.together(writer, reader))


def _first_phases(graph: Graph, links: _Links) -> dict[Node, int]:
    phases: dict[Node, int] = {}
    for node in graph:
        writers = links.writers[node]
        phases[node] = max((phases[w] + links.step(w, node) for w in writers), default=0)
    return phases


def _limits(group: Sequence[Node], links: _Links, phases: Mapping[Node, int]) -> list[int]:
    """The latest phases of the group that its readers outside allow."""
    inside = set(group)
    readers = [(node, user) for node in group for value in node.all_outputs() for user in value.users]
    return [phases[user] - links.step(node, user) for node, user in readers if user not in inside]


def _connected(chosen: Collection[Node], links: _Links, phases: Mapping[Node, int]) -> list[list[Node]]:
    """The groups: neighbours of one phase, in the order of their first nodes."""
    group_of: dict[Node, list[Node]] = {}
    for node in chosen:
        group = group_of[node] = [node]
        for writer in links.writers[node]:
            if links.together(writer, node) and phases[writer] == phases[node]:
                other = group_of[writer]
                if other is not group:
                    other += group
                    group_of.update(dict.fromkeys(group, other))
                    group = other
    place = {node: n for n, node in enumerate(chosen)}
    groups = {id(group): sorted(group, key=place.__getitem__) for group in group_of.values()}
    return list(groups.values())


class _ShapeClass:
    """Nodes whose results may all have one shape."""

    def __init__(self, node: Node) -> None:
        self.nodes = [node]
        self.shape = node.output().shape

    def join(self, other: _ShapeClass) -> None:
        """Take the nodes of another class, and the sizes that it knows."""
        self.nodes += other.nodes
        pairs = zip(self.shape or (), other.shape or (), strict=True)
        self.shape = tuple(b if a == UNKNOWN else a for a, b in pairs)


def _shape_classes(
    chosen: Collection[Node], writers: Mapping[Node, Sequence[Node]]
) -> dict[Node, _ShapeClass]:
    """The class of each node; [4, ?] may equal [4, 5] and [4, 6], but then these two are apart."""
    classes = {node: _ShapeClass(node) for node in chosen}
    for node in chosen:
        for writer in writers[node]:
            first, second = classes.get(writer), classes[node]
            if first is None or first is second or not _may_be_equal(first.shape, second.shape):
                continue
            first.join(second)
            classes.update(dict.fromkeys(second.nodes, first))
    return classes


def _may_be_equal(first: Shape | None, second: Shape | None) -> bool:
    """Whether two shapes may be equal; an unknown size is assumed not to be 1."""
    if first is None or second is None or len(first) != len(second):
        return False
    return all(a == b or (UNKNOWN in (a, b) and 1 not in (a, b)) for a, b in zip(first, second, strict=True))


def _distinct(nodes: Iterable[Node | None]) -> list[Node]:
    return list(dict.fromkeys(node for node in nodes if node is not None))
