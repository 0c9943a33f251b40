"""Plans are complete and valid by an independent check, and as small as an exhaustive search finds."""

from __future__ import annotations

import random
from typing import Any

import pytest

from lite.errors import ConfigError, GraphError
from lite.subgraph import plan_regions
from lite.subgraph.verify_plan import check_plan
from lite.tools.conformance.partition import read_graph
from tests.lite.subgraph.plans import SCENARIOS, fewest, problem, random_graph, read_scenarios


@pytest.mark.skipif(not SCENARIOS.is_file(), reason="no partition scenarios beside the checkout")
@pytest.mark.parametrize("scenario", read_scenarios(), ids=lambda scenario: str(scenario["id"]))
def test_scenarios(scenario: dict[str, Any]) -> None:
    nodes, devices, results = scenario["nodes"], scenario["targets_priority"], scenario["results"]
    plan = plan_regions(nodes, devices)
    assert problem(nodes, devices, plan) == ""
    assert len(plan) == results["min_groups"]
    split = plan_regions(nodes, devices, connected=True)
    assert problem(nodes, devices, split) == ""
    assert len(split) >= results["min_connected"]
    free = plan_regions(nodes, devices, "fewest_regions")
    assert problem(nodes, devices, free) == ""
    assert len(free) == fewest(nodes, devices, free=True)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("placement", ["priority", "fewest_regions"])
def test_no_plan_has_fewer_regions(count: int, placement: str) -> None:
    devices = ["a", "b", "c"][:count]
    rng = random.Random(count)
    for _ in range(60):
        nodes = random_graph(rng, 6, devices)
        plan = plan_regions(nodes, devices, placement)
        assert problem(nodes, devices, plan) == ""
        assert len(plan) == fewest(nodes, devices, placement == "fewest_regions")


def test_ten_thousand_random_graphs() -> None:
    rng = random.Random(0)
    for number in range(10_000):
        devices = ["a", "b", "c"][: 1 + number % 3]
        nodes = random_graph(rng, rng.randint(1, 14), devices)
        placement = ("priority", "fewest_regions", "cost", "priority")[number // 3 % 4]
        plan = plan_regions(nodes, devices, placement, connected=number % 5 == 0)
        assert problem(nodes, devices, plan) == ""
        assert check_plan(nodes, plan, devices) == []


def test_the_order_of_the_nodes_makes_no_difference() -> None:
    rng = random.Random(1)
    for number in range(300):
        devices = ["a", "b", "c"][: 1 + number % 3]
        nodes = random_graph(rng, rng.randint(1, 40), devices)
        placement = rng.choice(["priority", "fewest_regions", "cost"])
        plan = plan_regions(nodes, devices, placement)
        rng.shuffle(nodes)
        assert plan_regions(nodes, devices, placement) == plan


def test_priority_is_the_order_of_the_devices() -> None:
    nodes = read_graph("n[a/b]()")
    assert plan_regions(nodes, ["b", "a"]) == [("b", ["n"])]
    assert plan_regions(nodes, ["a", "b"]) == [("a", ["n"])]
    assert plan_regions(nodes, ["c"]) == []
    assert plan_regions([], ["a"]) == []
    assert plan_regions(nodes, []) == []
    assert plan_regions(nodes, ["a", "a"]) == [("a", ["n"])]


def test_free_assignment_needs_fewer_regions() -> None:
    nodes = read_graph("o1[a/b](x); o2[b](o1); o3[a/b](o2); o4[a](o3)")
    assert len(plan_regions(nodes, ["a", "b"])) == 3
    assert plan_regions(nodes, ["a", "b"], "fewest_regions") == [("b", ["o1", "o2", "o3"]), ("a", ["o4"])]


def test_connected_regions_hang_together() -> None:
    nodes = read_graph("p[a](x); q[a](y); r[a](p)")
    assert plan_regions(nodes, ["a"]) == [("a", ["p", "q", "r"])]
    assert plan_regions(nodes, ["a"], connected=True) == [("a", ["p", "r"]), ("a", ["q"])]


def test_an_op_that_reads_another_twice() -> None:
    assert plan_regions(read_graph("p[a](x); q[a](p,p)"), ["a"]) == [("a", ["p", "q"])]


def test_what_cannot_be_planned() -> None:
    loop = read_graph("p[a](q); q(p)")
    with pytest.raises(GraphError, match="the ops form a cycle; among them or behind it: p, q"):
        plan_regions(loop, ["a"])
    with pytest.raises(GraphError, match="two ops are called 'p'"):
        plan_regions([loop[0], loop[0]], ["a"])
    with pytest.raises(ConfigError, match=r"placement 'priorty' is none of .*did you mean 'priority'"):
        plan_regions([], ["a"], "priorty")
