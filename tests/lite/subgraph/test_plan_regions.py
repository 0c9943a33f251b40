"""Plans are complete and valid by an independent check, and as small as an exhaustive search finds."""

from __future__ import annotations

import random
from typing import Any

import pytest

from lite.errors import ConfigError
from lite.subgraph.op_graph import OpGraph
from lite.subgraph.plan_regions import plan_regions
from lite.subgraph.verify_plan import check_plan
from tests.lite.subgraph.plans import (
    SCENARIOS,
    as_pairs,
    fewest,
    graph_of,
    problem,
    random_ops,
    read_scenarios,
    renumbered,
    scenario_graph,
)


@pytest.mark.skipif(not SCENARIOS.is_file(), reason="no partition scenarios beside the checkout")
@pytest.mark.parametrize("scenario", read_scenarios(), ids=lambda scenario: str(scenario["id"]))
def test_scenario_has_the_expected_number_of_regions(scenario: dict[str, Any]) -> None:
    graph, results = scenario_graph(scenario), scenario["results"]
    plan = plan_regions(graph)
    assert problem(graph, plan) == ""
    assert len(plan) == results["min_groups"]
    split = plan_regions(graph, connected=True)
    assert problem(graph, split) == ""
    assert len(split) >= results["min_connected"]
    free = plan_regions(graph, "fewest_regions")
    assert problem(graph, free) == ""
    assert len(free) == fewest(graph, free=True)


@pytest.mark.parametrize("devices", [1, 2, 3])
@pytest.mark.parametrize("placement", ["priority", "fewest_regions"])
def test_no_plan_has_fewer_regions(devices: int, placement: str) -> None:
    rng = random.Random(devices)
    for _ in range(60):
        graph = OpGraph(random_ops(rng, 6, devices))
        plan = plan_regions(graph, placement)
        assert problem(graph, plan) == ""
        assert len(plan) == fewest(graph, placement == "fewest_regions")


def test_ten_thousand_random_graphs_have_valid_plans() -> None:
    rng = random.Random(0)
    for number in range(10_000):
        graph = OpGraph(random_ops(rng, rng.randint(1, 14), 1 + number % 3))
        placement = ("priority", "fewest_regions", "cost", "priority")[number // 3 % 4]
        plan = plan_regions(graph, placement, connected=number % 5 == 0)
        assert problem(graph, plan) == ""
        assert check_plan(graph, plan) == []


def test_another_running_order_gives_as_many_regions() -> None:
    rng = random.Random(1)
    for number in range(300):
        ops = random_ops(rng, rng.randint(1, 40), 1 + number % 3)
        placement = rng.choice(["priority", "fewest_regions"])
        plan = plan_regions(OpGraph(ops), placement)
        other = OpGraph(renumbered(rng, ops))
        reordered = plan_regions(other, placement)
        assert problem(other, reordered) == ""
        assert len(reordered) == len(plan)


def test_equal_graphs_get_equal_plans() -> None:
    rng = random.Random(2)
    for placement in ("priority", "fewest_regions", "cost"):
        ops = random_ops(rng, 40, 3)
        assert plan_regions(OpGraph(ops), placement) == plan_regions(OpGraph(list(ops)), placement)


def test_priority_is_the_order_of_the_devices() -> None:
    assert as_pairs(plan_regions(graph_of("n[a/b]()", "b", "a"))) == [(0, (0,))]
    assert as_pairs(plan_regions(graph_of("n[b]()", "a", "b"))) == [(1, (0,))]
    assert plan_regions(graph_of("n[a/b]()", "c")) == []
    assert plan_regions(graph_of("n[a/b]()")) == []
    assert plan_regions(OpGraph([])) == []


def test_free_assignment_needs_fewer_regions() -> None:
    graph = graph_of("o1[a/b](x); o2[b](o1); o3[a/b](o2); o4[a](o3)", "a", "b")
    assert len(plan_regions(graph)) == 3
    assert as_pairs(plan_regions(graph, "fewest_regions")) == [(1, (0, 1, 2)), (0, (3,))]


def test_connected_regions_are_weakly_connected() -> None:
    graph = graph_of("p[a](x); q[a](y); r[a](p)", "a")
    assert as_pairs(plan_regions(graph)) == [(0, (0, 1, 2))]
    assert as_pairs(plan_regions(graph, connected=True)) == [(0, (0, 2)), (0, (1,))]


def test_an_op_may_read_another_twice() -> None:
    assert as_pairs(plan_regions(graph_of("p[a](x); q[a](p,p)", "a"))) == [(0, (0, 1))]


def test_unknown_placement_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"placement 'priorty' is none of .*did you mean 'priority'"):
        plan_regions(OpGraph([]), "priorty")
