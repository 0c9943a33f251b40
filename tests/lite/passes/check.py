"""Runs a pass on the text of a graph and compares the text of the result."""

from __future__ import annotations

from lite.ir.graph import Graph
from lite.ir.text import parse_graph, print_graph
from lite.ir.types import Array
from lite.ir.verify import verify
from lite.passes.base import PassContext
from lite.passes.manager import PassManager


def run_pass(spec: str, graph: Graph, ctx: PassContext | None = None) -> bool:
    """Run one pass with verification; returns whether it reports a change."""
    verify(graph)
    [record] = PassManager([spec], debug=True).run(graph, ctx or PassContext())
    return record.changed


def check(spec: str, before: str, after: str, ctx: PassContext | None = None) -> Graph:
    """Assert that a pass changes `before` to `after`, reports whether it changed it, and is idempotent."""
    graph = parse_graph(before)
    unchanged = print_graph(graph)
    changed = run_pass(spec, graph, ctx)
    text = print_graph(graph)
    assert text == print_graph(parse_graph(after))
    assert changed == (text != unchanged)
    assert not run_pass(spec, graph, ctx)
    assert print_graph(graph) == text
    return graph


def check_unchanged(spec: str, text: str, ctx: PassContext | None = None) -> None:
    """Assert that `spec` does not change a graph."""
    check(spec, text, text, ctx)


def constants_of(graph: Graph) -> dict[str, Array]:
    """The arrays of a graph's constants by name."""
    return {name: value.data for name, value in graph.constants.items() if value.data is not None}
