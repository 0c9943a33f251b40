"""The checker says what is wrong with a plan, and agrees with another judge on damaged ones."""

from __future__ import annotations

import random

import pytest

from lite.subgraph.numbered_ops import Region
from lite.subgraph.plan_regions import plan_regions
from lite.subgraph.verify_plan import check_plan
from lite.tools.conformance.partition import read_graph
from tests.lite.subgraph.plans import problem, random_graph

DIAMOND = read_graph("o1[a](x); o2[a](o1); u(o1); o3[a](o2,u)")


@pytest.mark.parametrize(
    ("regions", "problems"),
    [
        ([("a", ["o1", "o2"]), ("a", ["o3"])], []),
        ([("a", ["o1"]), ("a", ["o2", "o3"])], []),
        ([("a", ["o1", "o2", "o3"])], ["region 0 of a runs 'o3' before 'u', which it reads"]),
        (
            [("a", ["o3"]), ("a", ["o1", "o2"])],
            [
                "region 0 of a runs 'o3' before 'o2', which it reads",
                "region 0 of a runs 'o3' before 'u', which it reads",
            ],
        ),
        ([("a", ["o2", "o1"]), ("a", ["o3"])], ["region 0 of a runs 'o2' before 'o1', which it reads"]),
        ([("a", ["o1", "o2"])], ["'o3' is in no region; it is supported by a"]),
        ([("a", ["o1", "o2"]), ("a", ["o2", "o3"])], ["'o2' is in region 0 and in region 1"]),
        (
            [("b", ["o1", "o2"]), ("a", ["o3"])],
            [
                "region 0 of b holds 'o1', which its device does not support",
                "region 0 of b holds 'o2', which its device does not support",
            ],
        ),
        ([("a", ["o1", "o2", "v"]), ("a", ["o3"])], ["region 0 of a holds 'v', which is no op of the graph"]),
    ],
    ids=["valid", "also", "not convex", "region order", "op order", "left out", "twice", "device", "unknown"],
)
def test_each_problem(regions: list[Region], problems: list[str]) -> None:
    assert check_plan(DIAMOND, regions) == problems


def test_two_regions_that_wait_for_each_other() -> None:
    nodes = read_graph("p[a](x); q[b](p); r[b](x); s[a](r)")
    assert check_plan(nodes, [("a", ["p", "s"]), ("b", ["q", "r"])]) == [
        "region 0 of a runs 's' before 'r', which it reads"
    ]


def test_what_need_not_be_complete() -> None:
    nodes = read_graph("p[a](x); q[b](p)")
    assert check_plan(nodes, [("a", ["p"])], devices=["a"]) == []
    assert check_plan(nodes, [("a", ["p"])]) == ["'q' is in no region; it is supported by b"]
    assert check_plan(nodes, [], complete=False) == []
    assert check_plan([], []) == []


def test_damaged_plans_are_judged_as_by_another() -> None:
    rng = random.Random(0)
    wrong = 0
    for number in range(1500):
        devices = ["a", "b"][: 1 + number % 2]
        nodes = random_graph(rng, rng.randint(2, 12), devices)
        plan = [(device, list(names)) for device, names in plan_regions(nodes, devices)]
        if plan:
            damage(rng, plan)
        expected = problem(nodes, devices, plan)
        wrong += bool(expected)
        assert bool(check_plan(nodes, plan, devices)) == bool(expected), expected
    assert 300 < wrong < 1400


def damage(rng: random.Random, plan: list[Region]) -> None:
    first, second = rng.randrange(len(plan)), rng.randrange(len(plan))
    match rng.randrange(4):
        case 0:
            plan[first], plan[second] = plan[second], plan[first]
        case 1:
            rng.shuffle(plan[first][1])
        case 2:
            moved = plan[first][1].pop(rng.randrange(len(plan[first][1])))
            plan[second][1].insert(rng.randint(0, len(plan[second][1])), moved)
        case _:
            plan[first][1].append(rng.choice(plan[second][1]))
