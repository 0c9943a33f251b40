"""Composites: groups of ops that a device runs as one, and where they stand in a graph."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lite.errors import CompileError, PluginError
from lite.ir.graph import Graph, Node, Value
from lite.plugin.boundary import at_boundary
from lite.plugin.pattern.dominates import leaks
from lite.plugin.pattern.language import Pattern
from lite.plugin.pattern.search import Search


@dataclass(frozen=True)
class Match:
    """Where a composite was found: its ops in running order, and what the pattern named.

    The last op is the composite's root: only what it writes is read from outside.
    """

    composite: Composite
    nodes: tuple[Node, ...]
    captures: Mapping[str, Value]

    @property
    def root(self) -> Node:
        """The op whose outputs are the composite's."""
        return self.nodes[-1]

    @property
    def inputs(self) -> tuple[Value, ...]:
        """What the composite reads from outside, constants left out: each once, in order of reading."""
        read = dict.fromkeys(value for node in self.nodes for value in node.all_inputs())
        inside = set(self.nodes)
        return tuple(value for value in read if value.data is None and value.producer not in inside)


@dataclass(frozen=True)
class Composite:
    """A pattern that becomes one op of the device, called ``device.name``.

    `check` has the last word on a match; it answers a sentence to refuse it, or None.  Raises
    `PluginError` for a name without a dot, and for a pattern that no op need have written.
    """

    name: str
    pattern: Pattern
    check: Callable[[Match], str | None] | None = None

    def __post_init__(self) -> None:
        device, dot, name = self.name.partition(".")
        if not (device and dot and name):
            raise PluginError(f"composite {self.name!r}: expected a name like 'device.name'")
        if self.pattern.ops is None:
            raise PluginError(
                f"composite {self.name}: its pattern fits any value; its last op must be an is_op"
            )


@dataclass(frozen=True)
class CompositeFault:
    """A composite's code threw, or its check answered nonsense; about a match, or the op looked at."""

    composite: Composite
    nodes: tuple[Node, ...]
    error: CompileError


def find_composites(graph: Graph, composites: Sequence[Composite]) -> list[Match]:
    """Matches that share no op, of earlier composites first; those of one in running order.

    Each composite is looked for in the whole graph before the next, from the last op to the first.
    A match is valid when

    - none of its ops belongs to another, has an effect or nested graphs;
    - what its ops write, other than the root, is read inside only and is no result of the graph.
      Constants may be shared, and so may what the ops read.  Every op of a match is above its root, so
      this also rules out a way from the match through the outside back into it;
    - `Composite.check` answers None.  A check that throws, or answers what is no sentence, refuses.

    Where a pattern fits in several ways, it is the first valid one: alternatives from left to right,
    X and Y as they are before exchanged.  Unrelated ops, and the order in which ops stand, change
    nothing.  Nested graphs are the caller's.
    """
    return CompositeSearch(graph, composites).matches


def explain_composites(graph: Graph, composites: Sequence[Composite]) -> list[tuple[str, str, str]]:
    """Why places where a composite nearly fits are no matches: last op, composite, a sentence.

    Near are those where a whole match was refused, where the pattern's first op fits but not what is
    asked of it, and where at least two ops fit.  In the order in which they were refused.
    """
    return [
        (root.label, composite.name, sentence)
        for root, composite, sentence in CompositeSearch(graph, composites, explain=True).refusals
    ]


class CompositeSearch:
    """The search of one graph for all composites of a device.

    `faults` are what the device's own code did wrong meanwhile; `steps` says what the search took.
    """

    def __init__(self, graph: Graph, composites: Sequence[Composite], *, explain: bool = False) -> None:
        self.matches: list[Match] = []
        self.refusals: list[tuple[Node, Composite, str]] = []
        self.faults: list[CompositeFault] = []
        self.steps = 0
        self._explain = explain
        self._position = {node: at for at, node in enumerate(graph)}
        self._by_op: dict[str, list[Node]] = {}
        self._taken: dict[Node, str] = {}
        for node in self._position:
            self._by_op.setdefault(node.op, []).append(node)
        for composite in composites:
            self._look_for(composite)

    def _look_for(self, composite: Composite) -> None:
        search = Search(self._position, self._taken, explain=self._explain)
        found: list[Match] = []
        for root in self._roots(composite.pattern):
            if root in self._taken:
                continue
            search.begin()
            match = self._asked(composite, root, search)
            if match is not None:
                self._taken.update(dict.fromkeys(match.nodes, composite.name))
                found.append(match)
            elif search.refusal is not None:
                self.refusals.append((root, composite, search.refusal))
        self.matches += reversed(found)
        self.steps += search.steps

    def _roots(self, pattern: Pattern) -> list[Node]:
        """The ops that may be last, the latest first."""
        roots = [node for op in pattern.ops or () for node in self._by_op.get(op, ())]
        return sorted(roots, key=self._position.__getitem__, reverse=True)

    def _asked(self, composite: Composite, root: Node, search: Search) -> Match | None:
        """The match at an op; the pattern may have conditions of the vendor's, which may throw."""
        device = composite.name.partition(".")[0]
        look = functools.partial(self._match, composite, root, search)
        try:
            return at_boundary(device, f"looking for {composite.name}", look, op=root.label)
        except CompileError as error:
            self.faults.append(CompositeFault(composite, (root,), error))
            search.refuse_match(str(error))
            return None

    def _match(self, composite: Composite, root: Node, search: Search) -> Match | None:
        for _ in _solutions(composite.pattern, root, search):
            sentence = next(
                (leak for node in search.nodes if node is not root and (leak := leaks(node, search.nodes))),
                None,
            )
            if sentence is None:
                nodes = tuple(sorted(search.nodes, key=self._position.__getitem__))
                match = Match(composite, nodes, dict(search.captures))
                try:
                    sentence = _refused(match)
                except CompileError as error:
                    self.faults.append(CompositeFault(composite, nodes, error))
                    search.refuse_match(str(error))
                    return None
                if sentence is None:
                    return match
            search.refuse_match(sentence)
        return None


def _solutions(pattern: Pattern, root: Node, search: Search) -> Iterator[None]:
    for value in root.all_outputs():
        yield from search.matches(pattern, value)


def _refused(match: Match) -> str | None:
    """What the composite's check says, the vendor's code; raises `CompileError` where it fails to."""
    name, check = match.composite.name, match.composite.check

    def asked() -> str | None:
        sentence = None if check is None else check(match)
        if sentence is not None and not isinstance(sentence, str):
            raise CompileError(f"it must answer a sentence or None, got {sentence!r}")
        return sentence

    return at_boundary(name.partition(".")[0], f"checking {name}", asked, op=match.root.label)
