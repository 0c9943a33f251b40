"""Which elementwise nodes make one op, so that no cycle comes of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from lite.ir.graph import Graph, Node
from lite.ir.types import UNKNOWN, Shape


def elementwise_groups(graph: Graph, chosen: Collection[Node]) -> list[list[Node]]:
    """The `chosen` nodes that go together, each group in running order; nodes alone are groups, too.

    Two go together where one reads the other and their results may have one shape.  Each node has a phase,
    which grows on the way from a group to anything else.  As groups lie within one phase, no way leads from
    one back into it, nor from one to another and back.
    """
    links = _Links(graph, chosen)
    phases = _first_phases(graph, links)
    for group in reversed(_connected(chosen, links, phases)):
        latest = min(_limits(group, links, phases), default=None)
        if latest is not None:
            phases.update((node, max(phases[node], latest)) for node in group)
    return _connected(chosen, links, phases)


class _Links:
    """What each node has to wait for, and which neighbours belong together."""

    def __init__(self, graph: Graph, chosen: Collection[Node]) -> None:
        self._chosen = frozenset(chosen)
        self.writers = {node: _distinct(value.producer for value in node.all_inputs()) for node in graph}
        for before, after in graph.effect_edges():
            self.writers[after].append(before)

    def together(self, writer: Node, reader: Node) -> bool:
        """Whether these neighbours may be in one group."""
        if writer not in self._chosen or reader not in self._chosen:
            return False
        # Behind a result the user may begin a part of the model.
        value = writer.output()
        return not value.is_result and _may_be_equal(value.shape, reader.output().shape)

    def step(self, writer: Node, reader: Node) -> int:
        """By how much the phase grows at least from a node to one that reads it."""
        return int(writer in self._chosen and not self.together(writer, reader))


def _first_phases(graph: Graph, links: _Links) -> dict[Node, int]:
    phases: dict[Node, int] = {}
    for node in graph:
        writers = links.writers[node]
        phases[node] = max((phases[w] + links.step(w, node) for w in writers), default=0)
    return phases


def _limits(group: Sequence[Node], links: _Links, phases: Mapping[Node, int]) -> list[int]:
    """The latest phases that the readers outside of a group allow it."""
    inside = set(group)
    readers = [(node, user) for node in group for value in node.all_outputs() for user in value.users]
    return [phases[user] - links.step(node, user) for node, user in readers if user not in inside]


def _connected(chosen: Collection[Node], links: _Links, phases: Mapping[Node, int]) -> list[list[Node]]:
    """The groups: neighbours of one phase; in the order of the nodes that begin them."""
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


def _may_be_equal(first: Shape | None, second: Shape | None) -> bool:
    """Whether nothing says that two shapes differ; a size that is not known is hardly 1."""
    if first is None or second is None or len(first) != len(second):
        return False
    return all(a == b or (UNKNOWN in (a, b) and 1 not in (a, b)) for a, b in zip(first, second, strict=True))


def _distinct(nodes: Iterable[Node | None]) -> list[Node]:
    return list(dict.fromkeys(node for node in nodes if node is not None))
