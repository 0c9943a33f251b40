"""The kit's graphs are divided as expected, their figures hold, and a wrong plan is reported."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lite.errors import GraphError
from lite.plugin.device import Limits
from lite.subgraph.op_graph import PlannedRegion
from lite.tools.conformance import partition
from lite.tools.conformance.partition import (
    NamedOp,
    Scenario,
    check_partition,
    number_ops,
    read_graph,
    read_scenarios,
)
from tests.lite.subgraph.plans import fewest
from tests.lite.subgraph.test_reverse_dfs import searched_backwards


@pytest.mark.parametrize("scenario", read_scenarios(), ids=lambda scenario: scenario.name)
def test_the_figures_are_those_of_exhaustive_searches(scenario: Scenario) -> None:
    graph = number_ops(scenario.ops, scenario.devices)
    names = [op.name for op in scenario.ops]
    assert scenario.priority == fewest(graph, free=False)
    assert scenario.fewest_regions == fewest(graph, free=True)
    regions = {
        (scenario.devices.index(device), frozenset(map(names.index, ops.split(","))))
        for device, _, ops in (region.partition(":") for region in scenario.reverse_dfs)
    }
    assert regions == searched_backwards(graph)


@pytest.mark.parametrize(
    "limits", [Limits(), Limits(ops=2), Limits(inputs=1, weight_bytes=2000), Limits(ops=0)]
)
def test_every_scenario_passes_whatever_the_limits(limits: Limits) -> None:
    verdicts = list(check_partition(read_scenarios(), {"a": limits, "b": limits}))
    assert len(verdicts) > 15
    assert [(verdict.scenario.name, verdict.wrong) for verdict in verdicts if not verdict.ok] == []


def test_a_wrong_plan_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = next(scenario for scenario in read_scenarios() if scenario.name == "bypass")
    wrong = replace(scenario, priority=1, fewest_regions=1, reverse_dfs=("a:p,q",))
    assert [verdict.wrong for verdict in check_partition([wrong])] == [
        (
            "priority: 2 regions, expected 1",
            "fewest_regions: 2 regions, expected 1",
            "reverse_dfs: a:p a:q, expected a:p,q",
        )
    ]
    monkeypatch.setattr(partition, "reverse_dfs_regions", lambda _: [PlannedRegion(0, (0, 2))])
    assert [verdict.wrong for verdict in check_partition([scenario])] == [
        (
            "reverse_dfs: region 0 of a runs 'q' before 'h', which it reads",
            "reverse_dfs, split: region 0 of a runs 'q' before 'h', which it reads",
            "reverse_dfs: a:p,q, expected a:p a:q",
        )
    ]


def test_a_graph_is_read_from_a_line() -> None:
    assert read_graph("p[a/b](x,y); q(p);") == [
        NamedOp("p", ("x", "y"), ("a", "b")),
        NamedOp("q", ("p",), ()),
    ]
    assert read_graph("") == []


def test_ops_are_numbered_by_position() -> None:
    graph = number_ops(read_graph("p[a/b](x); q[c/b](p,x); r(q,p,q)"), ["b", "a"])
    assert graph.sources == [(), (0,), (0, 1)]
    assert [op.devices for op in graph.ops] == [(0, 1), (0,), ()]


def test_ops_out_of_running_order_are_an_error() -> None:
    with pytest.raises(GraphError, match="op 0 reads op 1; ops must be numbered in running order"):
        number_ops(read_graph("p(q); q(p)"), ["a"])
