"""Ops are numbered in running order, whatever order they come in."""

from __future__ import annotations

import itertools

import pytest

from lite.errors import GraphError
from lite.subgraph.numbered_ops import NumberedOps
from lite.tools.conformance.partition import read_graph


def test_a_running_order_by_name() -> None:
    for nodes in itertools.permutations(read_graph("d(x); a(d,b,d); c(a); b(y,d)")):
        graph = NumberedOps(nodes)
        assert graph.names == ["d", "b", "a", "c"]
        assert [node["name"] for node in graph.nodes] == graph.names
        assert graph.sources == [[], [0], [0, 1], [2]]
        assert graph.readers == [[1, 2], [2], [3], []]
        assert len(graph) == 4


def test_no_ops() -> None:
    assert NumberedOps([]).names == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p(x); q(x); q(p)", "two ops are called 'q'; names must be unique"),
        ("p(x); q(p,r); r(q); s(r)", "the ops form a cycle; among them or behind it: q, r, s"),
        ("p(p)", "the ops form a cycle; among them or behind it: p"),
    ],
)
def test_what_has_no_order(text: str, message: str) -> None:
    with pytest.raises(GraphError) as caught:
        NumberedOps(read_graph(text))
    assert str(caught.value) == message
