"""Graphs as text, and the matches of composites in them as plain data."""

from __future__ import annotations

from lite.ir.graph import Graph
from lite.ir.text import parse_graph
from lite.plugin.pattern import Composite, Match, Pattern, find_composites


def graph_of(body: str, args: str = "%a, %b, %c, %d", result: str = "%y") -> Graph:
    """A graph of these lines, with a weight %w, a bias %k of 4 elements, and a number %two."""
    constants = (
        "%w = const float32[4,3,1,1] random(1) %k = const float32[4] random(2) %two = const float32[1] [2.0]"
    )
    return parse_graph(f"graph main({args}) {{ {constants} {body} return {result} }}")


def matches_in(graph: Graph, *composites: Composite) -> list[tuple[str, str]]:
    """The name of every match and its ops, by the names of their outputs."""
    return [
        (match.composite.name.partition(".")[2], ops(match)) for match in find_composites(graph, composites)
    ]


def ops(match: Match) -> str:
    """The ops of a match in its order, by the names of their outputs."""
    return " ".join(node.label for node in match.nodes)


def places(pattern: Pattern, body: str, args: str = "%a, %b, %c, %d", result: str = "%y") -> list[str]:
    """Where one pattern matches."""
    return [ops for _, ops in matches_in(graph_of(body, args, result), Composite("dev.it", pattern))]
