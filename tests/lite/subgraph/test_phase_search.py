"""The search finds phases in running order, and near the fewest where it is not exact."""

from __future__ import annotations

import random

import pytest

from lite.subgraph import phase_search
from lite.subgraph.op_graph import OpGraph, PlannedOp, PlannedRegion
from lite.subgraph.phase_search import search_phases
from lite.subgraph.plan_regions import plan_regions
from tests.lite.subgraph.plans import graph_of, problem


def test_each_phase_is_a_region() -> None:
    graph = graph_of("p[b](x); q[a](p); r(q); s[a](r)", "a", "b")
    assert search_phases(graph, [(1,), (0,), (), (0,)]) == [
        PlannedRegion(1, (0,)),
        PlannedRegion(0, (1,)),
        PlannedRegion(0, (3,)),
    ]


def test_without_candidates_there_are_no_phases() -> None:
    assert search_phases(OpGraph([]), []) == []
    assert search_phases(graph_of("p(x); q(p)"), [(), ()]) == []


def test_the_beam_search_stays_near_the_fewest(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(2)
    graph = OpGraph(
        [
            PlannedOp(
                tuple(sorted({rng.randrange(max(0, n - 30), n) for _ in range(2)})) if n else (),
                (rng.randrange(3),) if n % 10 else (),
            )
            for n in range(300)
        ]
    )
    exact = plan_regions(graph)
    monkeypatch.setattr(phase_search, "EXACT_WORK", 0)
    plan = plan_regions(graph)
    assert problem(graph, plan) == ""
    assert len(exact) <= len(plan) <= 1.1 * len(exact)
