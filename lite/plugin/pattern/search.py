"""One search for a pattern: what is bound so far, how to take it back, and why it went no further."""

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

    Solutions are generators: each yield is a solution, which stays in `bound`, `nodes` and `captures`
    until the generator goes on.  All three are filled through `put`, which `undo` takes back.
    """

    def __init__(self, position: Mapping[Node, int], taken: Mapping[Node, str], *, explain: bool) -> None:
        self.position = position
        self.explain = explain
        self.bound: dict[Pattern, Value] = {}
        self.nodes: dict[Node, None] = {}
        self.captures: dict[str, Value] = {}
        self.steps = 0
        """How often a pattern was asked about a value, over all roots."""
        self.steps_left = _MOST_STEPS
        """How often it may still be for this root; dominated paths do not count."""
        self.memory: dict[Pattern, set[frozenset[Node]]] = {}
        """What patterns found out that holds for the roots still to come."""
        self.refusal: str | None = None
        """Why the search that went furthest stopped, if it came near; only with `explain`."""
        self._taken = taken
        self._trail: list[tuple[dict[Any, Any], object]] = []
        self._reached = 0

    def begin(self) -> None:
        """Forget the last root."""
        self.undo(0)
        self.steps_left = _MOST_STEPS
        self.refusal, self._reached = None, 0

    def matches(self, pattern: Pattern, value: Value) -> Iterator[None]:
        """Every way in which `pattern` matches `value` beside what is bound already."""
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
        """Make an op part of the match; False, with the reason noted, for one that cannot be."""
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
        """Add to one of the tables what is not there yet."""
        if key not in table:
            table[key] = item
            self._trail.append((table, key))

    def mark(self) -> int:
        """The point to which `undo` goes back."""
        return len(self._trail)

    def undo(self, mark: int) -> None:
        """Take back everything that was put since the mark."""
        while len(self._trail) > mark:
            table, key = self._trail.pop()
            del table[key]

    def nodes_since(self, mark: int) -> list[Node]:
        """The ops that became part of the match since the mark."""
        return [key for table, key in self._trail[mark:] if table is self.nodes and isinstance(key, Node)]

    def refuse(self, sentence: str, *about: object, near: int = 1) -> None:
        """Note why it goes no further here, as text and what to format into it.

        Only the note of the search that went furthest is kept, of those at least `near` ops deep.
        """
        if self.explain and len(self.nodes) >= near and len(self.nodes) > self._reached:
            self._reached = len(self.nodes)
            self.refusal = sentence.format(*about)

    def refuse_match(self, sentence: str) -> None:
        """Note why a whole match is refused; the first such note is kept, before all others."""
        if self.explain and self._reached < len(self.position) + 1:
            self._reached = len(self.position) + 1
            self.refusal = sentence

    def other_op(self, value: Value, expected: str) -> None:
        """Note that a value is not written by the op that the pattern expects."""
        if self.explain:
            self.refuse("{!r} is {}, expected {}", value, source_text(value), expected, near=2)


def source_text(value: Value) -> str:
    """Where a value comes from."""
    if value.producer is not None:
        return f"written by {value.producer.op}"
    return "a constant" if value.is_constant else "an argument of the graph"
