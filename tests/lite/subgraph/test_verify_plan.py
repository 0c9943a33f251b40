"""The checker names each problem of a plan, and agrees with an independent judge on damaged plans."""

from __future__ import annotations

import random

import pytest

from lite.subgraph.op_graph import OpGraph, PlannedRegion
from lite.subgraph.plan_regions import plan_regions
from lite.subgraph.verify_plan import check_plan
from tests.lite.subgraph.plans import graph_of, problem, random_ops

NAMES = ["o1", "o2", "u", "o3"]
DIAMOND = graph_of("o1[a](x); o2[a](o1); u(o1); o3[a](o2,u)", "a", "b")


def plan_of(*regions: tuple[int, tuple[int, ...]]) -> list[PlannedRegion]:
    return [PlannedRegion(device, ops) for device, ops in regions]


@pytest.mark.parametrize(
    ("regions", "problems"),
    [
        ([(0, (0, 1)), (0, (3,))], []),
        ([(0, (0,)), (0, (1, 3))], []),
        ([(0, (0, 1, 3))], ["region 0 of a runs 'o3' before 'u', which it reads"]),
        (
            [(0, (3,)), (0, (0, 1))],
            [
                "region 0 of a runs 'o3' before 'o2', which it reads",
                "region 0 of a runs 'o3' before 'u', which it reads",
            ],
        ),
        ([(0, (1, 0)), (0, (3,))], ["region 0 of a runs 'o2' before 'o1', which it reads"]),
        ([(0, (0, 1))], ["'o3' is in no region; it is supported by a"]),
        ([(0, (0, 1)), (0, (1, 3))], ["'o2' is in region 0 and in region 1"]),
        (
            [(1, (0, 1)), (0, (3,))],
            [
                "region 0 of b holds 'o1', which its device does not support",
                "region 0 of b holds 'o2', which its device does not support",
            ],
        ),
        ([(0, (0, 1, 9)), (0, (3,))], ["region 0 of a holds 9, which is not an op of the graph"]),
    ],
    ids=[
        "valid",
        "also valid",
        "not convex",
        "region order",
        "op order",
        "left out",
        "twice",
        "device",
        "unknown",
    ],
)
def test_each_problem_is_one_sentence(
    regions: list[tuple[int, tuple[int, ...]]], problems: list[str]
) -> None:
    assert check_plan(DIAMOND, plan_of(*regions), op_names=NAMES, device_names=["a", "b"]) == problems


def test_without_names_the_sentences_have_numbers() -> None:
    assert check_plan(DIAMOND, plan_of((1, (0, 1)), (0, (3,)))) == [
        "region 0 of device 1 holds op 0, which its device does not support",
        "region 0 of device 1 holds op 1, which its device does not support",
    ]


def test_two_regions_that_wait_for_each_other_are_a_problem() -> None:
    graph = graph_of("p[a](x); q[b](p); r[b](x); s[a](r)", "a", "b")
    plan = plan_of((0, (0, 3)), (1, (1, 2)))
    assert check_plan(graph, plan) == ["region 0 of device 0 runs op 3 before op 2, which it reads"]


def test_a_plan_need_not_be_complete_on_request() -> None:
    graph = graph_of("p[a](x); q[b](p)", "a", "b")
    assert check_plan(graph, plan_of((0, (0,)))) == ["op 1 is in no region; it is supported by device 1"]
    assert check_plan(graph, plan_of((0, (0,))), complete=False) == []
    assert check_plan(graph, [], complete=False) == []
    assert check_plan(OpGraph([]), []) == []


def test_damaged_plans_are_judged_as_by_an_independent_judge() -> None:
    rng = random.Random(0)
    wrong = 0
    for number in range(1500):
        graph = OpGraph(random_ops(rng, rng.randint(2, 12), 1 + number % 2))
        plan = plan_regions(graph)
        if plan:
            plan = damaged(rng, plan)
        expected = problem(graph, plan)
        wrong += bool(expected)
        assert bool(check_plan(graph, plan)) == bool(expected), expected
    assert 300 < wrong < 1400


def damaged(rng: random.Random, plan: list[PlannedRegion]) -> list[PlannedRegion]:
    regions = [(region.device, list(region.ops)) for region in plan]
    first, second = rng.randrange(len(regions)), rng.randrange(len(regions))
    match rng.randrange(4):
        case 0:
            regions[first], regions[second] = regions[second], regions[first]
        case 1:
            rng.shuffle(regions[first][1])
        case 2:
            moved = regions[first][1].pop(rng.randrange(len(regions[first][1])))
            regions[second][1].insert(rng.randint(0, len(regions[second][1])), moved)
        case _:
            regions[first][1].append(rng.choice(regions[second][1]))
    return [PlannedRegion(device, tuple(ops)) for device, ops in regions]
