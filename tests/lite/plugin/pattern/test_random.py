"""Random graphs and patterns against a search that tries every assignment; growth of the work."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pytest

from lite.ir.graph import Graph, Node, Value
from lite.ir.text import parse_graph
from lite.plugin.pattern import (
    Composite,
    Match,
    Pattern,
    dominates,
    find_composites,
    is_constant,
    is_input,
    is_op,
    wildcard,
)
from lite.plugin.pattern.composite import CompositeSearch

UNARY = ("relu", "tanh")
BINARY = ("elementwise_add", "elementwise_sub")
SLOTS = ("X", "Y")


@dataclass(frozen=True)
class Part:
    """One pattern of a random table: its kind and the numbers of the patterns inside it."""

    kind: str
    ops: tuple[str, ...] = ()
    parts: tuple[int, ...] = ()


Table = tuple[Part, ...]
"""Patterns that contain earlier ones; the last is the whole pattern."""

Assignment = Mapping[int, Value]


def random_table(rng: random.Random, graph: Graph) -> Table:
    """A pattern of at most five parts, cut out of the graph and then made wider, or wrong, here and there."""
    table: list[Part] = []
    of_value: dict[Value, int] = {}

    def part_of(value: Value, ops: int) -> int:
        if value in of_value and rng.random() < 0.8:
            return of_value[value]
        node = value.producer
        if node is None or ops == 0 or len(table) >= 3:
            kind = rng.choice(("any", "any", "constant" if value.is_constant else "input"))
            table.append(Part(kind))
        else:
            parts = tuple(part_of(read, ops - (rng.random() < 0.7)) for read in node.all_inputs())
            wider = UNARY if node.op in UNARY else BINARY
            table.append(Part("op", wider if rng.random() < 0.2 else (node.op,), parts))
            if len(table) < 4 and rng.random() < 0.3:
                table.append(Part("either", (), (len(table) - 1, rng.randrange(len(table)))))
        of_value[value] = len(table) - 1
        return len(table) - 1

    root = rng.choice(list(graph))
    parts = tuple(part_of(value, 2) for value in root.all_inputs())
    if len(table) > 4:
        return random_table(rng, graph)
    return (*table, Part("op", (root.op,), parts))


def as_pattern(table: Table) -> Pattern:
    leaves: dict[str, Callable[[], Pattern]] = {"any": wildcard, "constant": is_constant, "input": is_input}
    patterns: list[Pattern] = []
    for part in table:
        of = [patterns[n] for n in part.parts]
        if part.kind == "op":
            patterns.append(is_op(*part.ops)(**dict(zip(SLOTS, of, strict=False))))
        elif part.kind == "either":
            patterns.append(of[0] | of[1])
        else:
            patterns.append(leaves[part.kind]())
    return patterns[-1].named("whole")


def random_graph(rng: random.Random, nodes: int) -> Graph:
    names, lines = ["a", "b", "k"], []
    for n in range(nodes):
        read = [rng.choice(names[-rng.choice((1, 1, 4)) :]) for _ in SLOTS]
        op = rng.choice(UNARY + BINARY)
        reads = ", ".join(
            f"{slot}=%{name}" for slot, name in zip(SLOTS if op in BINARY else "X", read, strict=False)
        )
        lines.append(f"%v{n} = {op}({reads})")
        names.append(f"v{n}")
    results = ", ".join(f"%v{n}" for n in range(nodes) if n == nodes - 1 or rng.random() < 0.1)
    return parse_graph(
        f"graph main(%a, %b) {{ %k = const float32[1] [1.0] {' '.join(lines)} return {results} }}"
    )


def holds(table: Table, at: int, assignment: Assignment) -> frozenset[int] | None:
    """The patterns that must match, too, if that pattern matches its value; None if it does not match."""
    part, value = table[at], assignment.get(at)
    if value is None:
        return None
    node = value.producer
    if part.kind == "op":
        if node is None or node.op not in part.ops:
            return None
        read = [node.inputs[slot][0] for slot in SLOTS[: len(part.parts)]]
        orders = [read, read[::-1]] if node.op == "elementwise_add" else [read]
        if not any([assignment.get(n) for n in part.parts] == order for order in orders):
            return None
        return _all_hold(table, part.parts, assignment, at)
    if part.kind == "either":
        for n in part.parts:
            if assignment.get(n) is value and (needed := _all_hold(table, (n,), assignment, at)) is not None:
                return needed
        return None
    fits = {"any": True, "constant": value.data is not None, "input": node is None and value.data is None}
    return frozenset({at}) if fits[part.kind] else None


def _all_hold(table: Table, parts: tuple[int, ...], assignment: Assignment, at: int) -> frozenset[int] | None:
    needed = frozenset({at})
    for n in parts:
        more = holds(table, n, assignment)
        if more is None:
            return None
        needed |= more
    return needed


def every_match(graph: Graph, table: Table, root: Node) -> Iterator[set[Node]]:
    """The ops of every match at a root, by trying all assignments."""
    values = [*graph.args, *graph.constants.values(), *(v for node in graph for v in node.all_outputs())]
    near = _above(root)
    values = [value for value in values if value.producer is None or value.producer in near]
    whole = len(table) - 1
    choices = [[v for v in values if part.kind != "op" or v.producer is not None] for part in table[:whole]]
    for chosen in itertools.product(*choices):
        assignment = {**dict(enumerate(chosen)), whole: root.output()}
        needed = holds(table, whole, assignment)
        if needed is not None:
            taken = {assignment[n].producer for n in needed if table[n].kind == "op"}
            yield {node for node in taken if node is not None}


def _above(root: Node) -> set[Node]:
    above, pending = set(), [root]
    while pending:
        node = pending.pop()
        if node not in above:
            above.add(node)
            pending += [value.producer for value in node.all_inputs() if value.producer is not None]
    return above


def is_valid(graph: Graph, nodes: set[Node], root: Node, taken: set[Node]) -> bool:
    """By definition: only the root is read from outside, and no path leaves the match and enters it again."""
    if nodes & taken:
        return False
    read_outside = {v for node in graph if node not in nodes for v in node.all_inputs()} | set(graph.results)
    if any(value in read_outside for node in nodes - {root} for value in node.all_outputs()):
        return False
    below: set[Node] = set()
    for node in graph:
        read = {value.producer for value in node.all_inputs()}
        if node not in nodes and read & (nodes | below):
            below.add(node)
        if node in nodes and read & below:
            return False
    return True


@pytest.mark.parametrize("seed", range(150))
def test_search_finds_the_matches_of_an_exhaustive_search(seed: int) -> None:
    rng = random.Random(seed)
    graph = random_graph(rng, 7)
    tables = [random_table(rng, graph) for _ in range(2)]
    composites = [Composite(f"dev.c{n}", as_pattern(table)) for n, table in enumerate(tables)]
    matches = find_composites(graph, composites)
    taken: set[Node] = set()
    for composite, table in zip(composites, tables, strict=True):
        at = {match.root: match for match in matches if match.composite is composite}
        for root in reversed(graph):
            if root in taken or root.op not in table[-1].ops:
                assert root not in at
                continue
            valid = [
                nodes for nodes in every_match(graph, table, root) if is_valid(graph, nodes, root, taken)
            ]
            match = at.get(root)
            assert (match is not None) == bool(valid)
            if match is not None:
                assert set(match.nodes) in valid
                assert match.captures["whole"] is root.output()
                taken.update(match.nodes)


def test_enough_random_patterns_match() -> None:
    """The test above needs graphs with matches."""
    sizes = [len(match.nodes) for seed in range(150) for match in _matches_of(seed)]
    assert sizes.count(1) > 50
    assert len([size for size in sizes if size > 1]) > 50


def _matches_of(seed: int) -> list[Match]:
    rng = random.Random(seed)
    graph = random_graph(rng, 7)
    return find_composites(
        graph, [Composite("dev.it", as_pattern(random_table(rng, graph))) for _ in range(2)]
    )


def larger(seed: int) -> tuple[random.Random, Graph, list[Composite]]:
    rng = random.Random(seed)
    graph = random_graph(rng, 60)
    path = is_op("relu", "tanh", "elementwise_add")
    return (
        rng,
        graph,
        [
            Composite(
                "dev.long", dominates(is_op("elementwise_sub"), path, is_op(*UNARY, "elementwise_add"))
            ),
            *(Composite(f"dev.c{n}", as_pattern(random_table(rng, graph))) for n in range(3)),
        ],
    )


def as_text(matches: list[Match]) -> set[tuple[str, str, frozenset[str]]]:
    return {(m.composite.name, m.root.label, frozenset(node.label for node in m.nodes)) for m in matches}


@pytest.mark.parametrize("seed", range(60))
def test_matches_are_disjoint_and_valid(seed: int) -> None:
    _, graph, composites = larger(seed)
    taken: set[Node] = set()
    for match in find_composites(graph, composites):
        assert is_valid(graph, set(match.nodes), match.root, taken)
        assert list(match.nodes) == [node for node in graph if node in set(match.nodes)]
        taken.update(match.nodes)


@pytest.mark.parametrize("seed", range(60))
def test_the_order_of_the_ops_makes_no_difference(seed: int) -> None:
    rng, graph, composites = larger(seed)
    before = as_text(find_composites(graph, composites))
    left, order = set(graph), []
    while left:
        ready = [n for n in graph if n in left and not {v.producer for v in n.all_inputs()} & left]
        order.append(rng.choice(ready))
        left.remove(order[-1])
    graph.reorder(order)
    assert as_text(find_composites(graph, composites)) == before


@pytest.mark.parametrize("seed", range(60))
def test_unrelated_ops_make_no_difference(seed: int) -> None:
    rng, graph, composites = larger(seed)
    before = as_text(find_composites(graph, composites))
    arg, results = graph.add_arg("other"), list(graph.results)
    for n in range(30):
        at = rng.choice([None, *graph])
        output = graph.add_node("tanh", {"X": [arg]}, {"Out": [f"other{n}"]}, before=at).output()
        results.append(output)
    graph.set_results(results, [value.name for value in results])
    after = as_text(find_composites(graph, composites))
    assert {match for match in after if not match[1].startswith("other")} == before


@pytest.mark.parametrize("seed", range(100))
def test_dominates_agrees_with_its_definition(seed: int) -> None:
    rng = random.Random(seed)
    graph = random_graph(rng, 25)
    parent, path, child = "elementwise_sub", ("relu", "tanh", "elementwise_add"), ("tanh", "elementwise_add")
    composite = Composite("dev.it", dominates(is_op(parent), is_op(*path), is_op(*child)))
    at = {match.root: set(match.nodes) for match in find_composites(graph, [composite])}
    taken: set[Node] = set()
    for root in reversed(graph):
        if root.op not in child or root in taken:
            assert root not in at
            continue
        expected = next(
            (
                between | {top}
                for top in reversed(graph)
                if top.op == parent
                and (between := _between(root, top)) is not None
                and all(node is root or node.op in path for node in between)
                and is_valid(graph, between | {top}, root, taken)
            ),
            None,
        )
        assert at.get(root) == expected
        taken |= expected or set()


def _between(child: Node, top: Node) -> set[Node] | None:
    """The ops on the paths up from the child to an op; None when a path ends elsewhere."""
    between, pending = set(), [child]
    while pending:
        node = pending.pop()
        if node not in between:
            between.add(node)
            above = [value.producer for value in node.all_inputs() if value.producer is not None]
            if not above:
                return None
            pending += [producer for producer in above if producer is not top]
    return between


def chain(length: int) -> Graph:
    """relu → tanh → relu → …"""
    graph = Graph()
    value = graph.add_arg("x")
    for n in range(length):
        value = graph.add_node(UNARY[n % 2], {"X": [value]}, {"Out": [f"v{n}"]}).output()
    graph.set_results([value], ["out"])
    return graph


def ladder(length: int) -> Graph:
    """Two chains that read each other and never meet."""
    graph = Graph()
    left, right = graph.add_arg("x"), graph.add_arg("y")
    for n in range(length // 2):
        left, right = (
            graph.add_node("tanh", {"X": [left]}, {"Out": [f"l{n}"]}).output(),
            graph.add_node("elementwise_add", {"X": [left], "Y": [right]}, {"Out": [f"r{n}"]}).output(),
        )
    graph.set_results([left, right], ["left", "right"])
    return graph


def _relus(count: int) -> Pattern:
    pattern = wildcard()
    for n in range(count):
        pattern = is_op(UNARY[n % 2])(X=pattern)
    return pattern


PATH = is_op("relu", "tanh", "elementwise_add")
COMPOSITES = {
    "everywhere": _relus(4),
    "nowhere": is_op("tanh")(X=is_op("sigmoid")),
    "fails deep": is_op("tanh")(X=is_op("relu")(X=is_op("tanh")(X=is_constant()))),
    "optional": is_op("relu").optional(lambda x: is_op("tanh")(X=x)).optional(lambda x: is_op("relu")(X=x)),
    "no parent above": dominates(is_op("sigmoid"), PATH, is_op("relu", "elementwise_add")),
    "no parent inside": is_op("tanh")(X=dominates(is_op("sigmoid"), PATH, PATH)),
    "parent above": dominates(is_op("relu"), PATH, is_op("tanh")),
}


@pytest.mark.parametrize("name", COMPOSITES)
@pytest.mark.parametrize("build", [chain, ladder])
def test_work_grows_linearly_with_the_ops(name: str, build: Callable[[int], Graph]) -> None:
    composite = Composite("dev.it", COMPOSITES[name])
    short, long = (CompositeSearch(build(length), [composite]).steps for length in (1_000, 10_000))
    assert long <= 10_000 * 12
    assert long <= short * 10.1 + 10


def test_a_long_chain_matches_completely() -> None:
    matches = find_composites(chain(10_000), [Composite("dev.it", _relus(4))])
    assert [len(match.nodes) for match in matches] == [4] * 2_500


def test_a_path_may_be_as_long_as_the_graph() -> None:
    graph = chain(10_000)
    first = next(iter(graph))
    first.op = "sigmoid"
    search = CompositeSearch(graph, [Composite("dev.it", dominates(is_op("sigmoid"), PATH, is_op("tanh")))])
    (match,) = search.matches
    assert len(match.nodes) == 10_000
    assert search.steps <= 10_000 * 12
