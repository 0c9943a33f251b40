"""The state of a pattern search: bindings, how to undo them, and why a search failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lite.ir.graph import Node, Value
from lite.ops.schema import SCHEMAS

if TYPE_CHECKING:
    from lite.plugin.pattern.language import Pattern

_MOST_STEPS = 10_000


class Search:
    """The state of the search for one pattern in one graph; `begin` clears it for the next root.

    Patterns yield their solutions.  A solution is in `bound`, `nodes` and `captures` until the generator
    resumes.  `put` adds to these tables and to a trail, by which `undo` removes the entries again.
    """

    def __init__(self, position: Mapping[Node, int], taken: Mapping[Node, str], *, explain: bool) -> None:
        self.position = position
        self.explain = explain
        self.bound: dict[Pattern, Value] = {}
        self.nodes: dict[Node, None] = {}
        self.captures: dict[str, Value] = {}
        self.steps = 0
        """The number of times that a pattern was tried on a value, for all roots."""
        self.steps_left = _MOST_STEPS
        """The number of tries that are left for this root; tries on dominated paths do not count."""
        self.dead_ends: dict[Pattern, set[frozenset[Node]]] = {}
        """Dead ends that hold for later roots, too, by pattern."""
        self.refusal: str | None = None
        """Why the search that got furthest failed, for a near miss; only with `explain`."""
        self._taken = taken
        self._trail: list[tuple[dict[Any, Any], object]] = []
        self._furthest = 0

    def begin(self) -> None:
        """Clear the state of the previous root."""
        self.undo(0)
        self.steps_left = _MOST_STEPS
        self.refusal, self._furthest = None, 0

    def matches(self, pattern: Pattern, value: Value) -> Iterator[None]:
        """Yield once for each way in which a pattern matches a value, given the present bindings."""
        self.steps += 1
        self.steps_left -= 1
        if self.steps_left < 0:
            self.refuse("gave up after {} steps: too many alternatives of the pattern fit", _MOST_STEPS)
            return
        bound = self.bound.get(pattern)
        if bound is value:
            yield
        elif bound is not None:
            self.refuse("{!r} stands where the pattern needs {!r} again", value, bound)
        else:
            start = self.mark()
            for _ in pattern.solve(value, self):
                solved = self.mark()
                self.put(self.bound, pattern, value)
                yield
                self.undo(solved)
            self.undo(start)

    def enter(self, node: Node) -> bool:
        """Add an op to the match; False, with the reason noted, if it cannot be part of one."""
        schema = SCHEMAS.get(node.op)
        if node in self._taken:
            self.refuse("{!r} is part of composite {} already", node, self._taken[node])
        elif node.blocks or schema is None or schema.control_flow:
            self.refuse("{!r} is control flow", node)
        elif node.effect or schema.effect:
            self.refuse("{!r} has an effect, whose order among others must stay", node)
        else:
            self.put(self.nodes, node, None)
            return True
        return False

    def put(self, table: dict[Any, Any], key: object, item: object) -> None:
        """Add an entry to one of the tables unless it has the key."""
        if key not in table:
            table[key] = item
            self._trail.append((table, key))

    def mark(self) -> int:
        """The present length of the trail, for `undo`."""
        return len(self._trail)

    def undo(self, mark: int) -> None:
        """Remove everything that was put since the mark."""
        while len(self._trail) > mark:
            table, key = self._trail.pop()
            del table[key]

    def nodes_since(self, mark: int) -> list[Node]:
        """The ops that were added to the match since the mark."""
        return [key for table, key in self._trail[mark:] if table is self.nodes and isinstance(key, Node)]

    def refuse(self, sentence: str, *about: object, near: int = 1) -> None:
        """Note why the search fails here, as a format string and its arguments.

        Only the note of the search that got furthest is kept, among those with at least `near` ops.
        """
        if self.explain and len(self.nodes) >= near and len(self.nodes) > self._furthest:
            self._furthest = len(self.nodes)
            self.refusal = sentence.format(*about)

    def refuse_match(self, sentence: str) -> None:
        """Note why a whole match is refused; the first such note replaces all others."""
        if self.explain and self._furthest < len(self.position) + 1:
            self._furthest = len(self.position) + 1
            self.refusal = sentence

    def other_op(self, value: Value, expected: str) -> None:
        """Note that another op writes a value than the pattern expects."""
        if self.explain:
            self.refuse("{!r} is {}, expected {}", value, source_text(value), expected, near=2)


def source_text(value: Value) -> str:
    """The origin of a value, in words."""
    if value.producer is not None:
        return f"written by {value.producer.op}"
    return "a constant" if value.is_constant else "an argument of the graph"
