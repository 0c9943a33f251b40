"""Composites: named patterns that a device runs as one op, and the search for them in a graph."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence

from lite.dataclass import dataclass
from lite.errors import CompileError, PluginError
from lite.ir.graph import Graph, Node, Value
from lite.plugin.boundary import at_boundary
from lite.plugin.pattern.dominates import leaks
from lite.plugin.pattern.language import Pattern
from lite.plugin.pattern.search import Search


@dataclass(frozen=True)
class Match:
    """One match of a composite: its ops in running order, and the values that the pattern names.

    The last op is the root: the match has no outputs but the root's.
    """

    composite: Composite
    nodes: tuple[Node, ...]
    captures: Mapping[str, Value]

    @property
    def root(self) -> Node:
        """The op whose outputs are the outputs of the match."""
        return self.nodes[-1]

    @property
    def inputs(self) -> tuple[Value, ...]:
        """The values that the match reads from outside, except constants, each once, in order of reading."""
        read = dict.fromkeys(value for node in self.nodes for value in node.all_inputs())
        inside = set(self.nodes)
        return tuple(value for value in read if value.data is None and value.producer not in inside)


@dataclass(frozen=True)
class Composite:
    """A pattern that becomes one op of a device, named ``device.name``.

    `check` sees every match last and refuses it with a sentence, or accepts it with None.  Raises
    `PluginError` for a name without a dot, and for a pattern that matches values which no op writes.
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
    """A failure of a composite's own code, with the match, or the only op, that it was about."""

    composite: Composite
    nodes: tuple[Node, ...]
    error: CompileError


def find_composites(graph: Graph, composites: Sequence[Composite]) -> list[Match]:
    """The matches of composites in a graph, which share no ops.

    Earlier composites come first: the search for each covers the whole graph, from the last op to the
    first, before the next.  The matches of one composite are in running order.  A match is valid if

    - none of its ops belongs to another match, has an effect or has nested graphs;
    - only ops of the match read the outputs of its ops other than the root, and none of these outputs is
      a result of the graph.  The ops may share constants and inputs with ops outside.  All ops of a match
      lie on paths to its root, so this also excludes a path that leaves the match and enters it again;
    - `Composite.check` returns None.  A check that throws, or returns anything but a string, refuses.

    Of several matches at one root, the first valid one counts: alternatives from left to right, X and Y
    in the given order before the exchanged order.  Unrelated ops, and the order of the ops, make no
    difference.  Nested graphs are not searched.
    """
    return CompositeSearch(graph, composites).matches


def explain_composites(graph: Graph, composites: Sequence[Composite]) -> list[tuple[str, str, str]]:
    """Near misses: the last op, the composite and the reason why there is no match, in one sentence each.

    A place counts as a near miss if a whole match was refused there, if the root's op type fits but not
    its constraints, or if at least two ops fit.  They are in the order of the search.
    """
    return [
        (root.label, composite.name, sentence)
        for root, composite, sentence in CompositeSearch(graph, composites, explain=True).refusals
    ]


class CompositeSearch:
    """The search of one graph for all composites of a device.

    `faults` are failures of the device's own code; `steps` counts the work of the search.
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
            self._search(composite)

    def _search(self, composite: Composite) -> None:
        search = Search(self._position, self._taken, explain=self._explain)
        matches: list[Match] = []
        for root in self._roots(composite.pattern):
            if root in self._taken:
                continue
            search.begin()
            match = self._match_at(composite, root, search)
            if match is not None:
                self._taken.update(dict.fromkeys(match.nodes, composite.name))
                matches.append(match)
            elif search.refusal is not None:
                self.refusals.append((root, composite, search.refusal))
        self.matches += reversed(matches)
        self.steps += search.steps

    def _roots(self, pattern: Pattern) -> list[Node]:
        """The ops that may be roots, the latest first."""
        roots = [node for op in pattern.ops or () for node in self._by_op.get(op, ())]
        return sorted(roots, key=self._position.__getitem__, reverse=True)

    def _match_at(self, composite: Composite, root: Node, search: Search) -> Match | None:
        """The match with this root; the predicates of a pattern are a vendor's code, which may throw."""
        device = composite.name.partition(".")[0]
        match = functools.partial(self._match, composite, root, search)
        try:
            return at_boundary(device, f"looking for {composite.name}", match, op=root.label)
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
                    sentence = _refusal(match)
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


def _refusal(match: Match) -> str | None:
    """The answer of the composite's check; raises `CompileError` where this vendor's code fails."""
    name, check = match.composite.name, match.composite.check

    def ask() -> str | None:
        sentence = None if check is None else check(match)
        if sentence is not None and not isinstance(sentence, str):
            raise CompileError(f"it must answer a sentence or None, got {sentence!r}")
        return sentence

    return at_boundary(name.partition(".")[0], f"checking {name}", ask, op=match.root.label)
