"""The pattern of a part of any length: every way up from a child goes through a path to one parent."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence

from lite.errors import PluginError
from lite.ir.graph import Node, Value
from lite.plugin.pattern.language import Pattern
from lite.plugin.pattern.search import Search

_NARROW = 4


def dominates(parent: Pattern, path: Pattern, child: Pattern) -> Pattern:
    """What `child` matches, where all ways up from it meet in what `parent` matches.

    Every op on the way matches `path`, each on its own: there, patterns are bound to nothing yet.  There
    may be none.  Of several parents it is the one nearest to the child.  Constants and arguments of the
    graph may be read beside the way, but no way ends in them.  What the parent and the path write is
    read on the way to the child only.  Raises `PluginError` for a name in `path`, since it would be that
    of many ops.
    """
    names = sorted(part.captures for part in path.parts if part.captures is not None)
    if names:
        raise PluginError(f"pattern: the path of dominates matches many ops, which {names[0]!r} cannot name")
    return _Dominated(parent, path, child)


class _Dominated(Pattern):
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
        """Climb from the child, latest op first: where only one op is left to visit, all ways meet.

        Which ops are left says alone how the climb ends, as long as no part of the parent is bound
        from outside: roots come latest first, so what leaves the way once leaves it from every later root,
        too.  Remembering the ends that failed keeps a long graph without a parent linear.
        """
        parent, path, _ = self.inner
        dead = search.memory.setdefault(self, set())
        remember = parent.parts.isdisjoint(search.bound) and self._names.isdisjoint(search.captures)
        frontier = _Frontier(search)
        frontier.add(child)
        visited: list[frozenset[Node]] = []
        found = False
        while frontier.values:
            if remember and len(frontier.values) <= _NARROW:
                visited.append(frozenset(frontier.values))
                if visited[-1] in dead:
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
                        found = True
                        yield
            climbed = self._climb(path, node, values, search)
            if climbed is None:
                break
            if not frontier.add(climbed):
                search.refuse("a way up from {!r} ends at {!r}, not in the parent", last, node)
                break
            if not found:
                search.steps_left = left
        else:
            search.refuse("the ways up from {!r} meet in no parent", last)
        if remember and not found and search.steps_left >= 0:
            dead.update(visited)

    @staticmethod
    def _climb(path: Pattern, node: Node, values: Sequence[Value], search: Search) -> list[Node] | None:
        """The ops by which `path` matches each value, now part of the match."""
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
    """Ops still to visit with the values by which they were reached, the latest first."""

    def __init__(self, search: Search) -> None:
        self.values: dict[Node, dict[Value, None]] = {}
        self.inside: set[Node] = set()
        self._position = search.position
        self._heap: list[tuple[int, Node]] = []

    def add(self, nodes: Iterable[Node]) -> bool:
        """These ops are part of the match: what they read is to be visited; False when no op wrote it."""
        added = [node for node in nodes if node not in self.inside]
        self.inside.update(added)
        for node in added:
            self.values.pop(node, None)
        goes_on = False
        for value in (value for node in added for value in node.all_inputs()):
            producer = value.producer
            if producer is not None and producer not in self.inside:
                goes_on = True
                if producer not in self.values:
                    heapq.heappush(self._heap, (-self._position[producer], producer))
                self.values.setdefault(producer, {})[value] = None
        return goes_on

    def pop(self) -> tuple[Node, list[Value]]:
        """The latest op that is left and not part of the match, and how it was reached."""
        node = heapq.heappop(self._heap)[1]
        while node not in self.values:
            node = heapq.heappop(self._heap)[1]
        return node, list(self.values.pop(node))


def leaks(node: Node, inside: Iterable[Node]) -> str | None:
    """How something that an op writes gets outside, in one sentence; None when it does not."""
    for value in node.all_outputs():
        if value.is_result:
            return f"{value!r}, written by {node.op} in the middle, is a result of the graph"
        for user in value.users:
            if user not in inside:
                return f"{value!r}, written by {node.op} in the middle, is also read by {user!r} outside"
    return None
