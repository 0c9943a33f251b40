"""The pattern of a subgraph of any size: all paths up from a child meet in one parent."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence

from lite.errors import PluginError
from lite.ir.graph import Node, Value
from lite.plugin.pattern.language import Pattern
from lite.plugin.pattern.search import Search

_NARROW = 4
"""Largest frontier that is remembered as a dead end."""


def dominates(parent: Pattern, path: Pattern, child: Pattern) -> Pattern:
    """A value that matches `child`, such that all paths up from it meet in a value that matches `parent`.

    This is the dominator pattern of TVM Relay: the parent dominates the child.  Every op on the paths,
    if there are any, matches `path`, each with bindings of its own.  Of several possible parents, the one
    nearest to the child counts.  Ops on the paths may also read constants and arguments of the graph, but
    no path may end there.  Only ops on the paths may read the outputs of the parent and of other ops on the
    paths.  Raises `PluginError` for a name in `path`, because it would name many ops.
    """
    names = sorted(part.captures for part in path.parts if part.captures is not None)
    if names:
        raise PluginError(f"pattern: the path of dominates matches many ops, which {names[0]!r} cannot name")
    return _Dominated(parent, path, child)


class _Dominated(Pattern):
    """The pattern that `dominates` returns."""

    def __init__(self, parent: Pattern, path: Pattern, child: Pattern) -> None:
        self.inner = (parent, path, child)
        self._names = {part.captures for part in parent.parts}

    @property
    def ops(self) -> frozenset[str] | None:
        return self.inner[2].ops

    def solve(self, value: Value, search: Search) -> Iterator[None]:
        start = search.mark()
        for _ in search.matches(self.inner[2], value):
            if value.producer is not None:
                mark = search.mark()
                child = dict.fromkeys([value.producer, *search.nodes_since(start)])
                yield from self._walk(child, value.producer, search)
                search.undo(mark)

    def _walk(self, child: Iterable[Node], last: Node, search: Search) -> Iterator[None]:
        """Walk up from the child, latest op first; where only one op is left to visit, all paths meet.

        Unless a part of the parent is bound outside, the result depends only on the ops that are left to
        visit: roots are searched latest first, so an output that leaves the paths of one root leaves those
        of every later root.  Remembering the frontiers that failed keeps the search linear in a long graph
        without a parent.
        """
        parent, path, _ = self.inner
        dead_ends = search.dead_ends.setdefault(self, set())
        remember = parent.parts.isdisjoint(search.bound) and self._names.isdisjoint(search.captures)
        frontier = _Frontier(search)
        frontier.add(child)
        visited: list[frozenset[Node]] = []
        matched = False
        while frontier.values:
            if remember and len(frontier.values) <= _NARROW:
                visited.append(frozenset(frontier.values))
                if visited[-1] in dead_ends:
                    break
            node, values = frontier.pop()
            left = search.steps_left
            leak = leaks(node, frontier.inside)
            if leak is not None:
                search.refuse("{}", leak)
                break
            if not frontier.values:
                for value in values:
                    for _ in search.matches(parent, value):
                        matched = True
                        yield
            climbed = self._climb(path, node, values, search)
            if climbed is None:
                break
            if not frontier.add(climbed):
                search.refuse("a path up from {!r} ends at {!r}, not in the parent", last, node)
                break
            if not matched:
                search.steps_left = left
        else:
            search.refuse("the paths up from {!r} meet in no parent", last)
        if remember and not matched and search.steps_left >= 0:
            dead_ends.update(visited)

    @staticmethod
    def _climb(path: Pattern, node: Node, values: Sequence[Value], search: Search) -> list[Node] | None:
        """Match `path` to each value and add its ops to the match; None where it does not match."""
        if not search.enter(node):
            return None
        nodes = [node]
        for value in values:
            mark = search.mark()
            outside, search.bound = search.bound, {}
            matched = any(True for _ in search.matches(path, value))
            nodes += search.nodes_since(mark)
            search.undo(mark)
            search.bound = outside
            if not matched:
                return None
        for inner in nodes:
            search.put(search.nodes, inner, None)
        return nodes


class _Frontier:
    """The ops that are left to visit, latest first, with the values through which they were reached."""

    def __init__(self, search: Search) -> None:
        self.values: dict[Node, dict[Value, None]] = {}
        self.inside: set[Node] = set()
        self._position = search.position
        self._heap: list[tuple[int, Node]] = []

    def add(self, nodes: Iterable[Node]) -> bool:
        """Add ops to the match and the producers of their inputs to the frontier; False if there are none."""
        added = [node for node in nodes if node not in self.inside]
        self.inside.update(added)
        for node in added:
            self.values.pop(node, None)
        has_producers = False
        for value in (value for node in added for value in node.all_inputs()):
            producer = value.producer
            if producer is not None and producer not in self.inside:
                has_producers = True
                if producer not in self.values:
                    heapq.heappush(self._heap, (-self._position[producer], producer))
                self.values.setdefault(producer, {})[value] = None
        return has_producers

    def pop(self) -> tuple[Node, list[Value]]:
        """The latest op of the frontier, and the values through which it was reached."""
        node = heapq.heappop(self._heap)[1]
        while node not in self.values:
            node = heapq.heappop(self._heap)[1]
        return node, list(self.values.pop(node))


def leaks(node: Node, inside: Iterable[Node]) -> str | None:
    """Why an output of an op is visible outside a match, in one sentence; None if it is not."""
    for value in node.all_outputs():
        if value.is_result:
            return f"{value!r}, written by {node.op} in the middle, is a result of the graph"
        for user in value.users:
            if user not in inside:
                return f"{value!r}, written by {node.op} in the middle, is also read by {user!r} outside"
    return None
