"""The kit's graphs are divided as they should be, their figures hold, and what is wrong is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lite.plugin.device import Limits
from lite.tools.conformance import partition
from lite.tools.conformance.partition import Scenario, check_partition, read_graph, read_scenarios
from tests.lite.subgraph.plans import fewest
from tests.lite.subgraph.test_reverse_dfs import as_sets, searched_backwards


@pytest.mark.parametrize("scenario", read_scenarios(), ids=lambda scenario: scenario.name)
def test_the_figures_are_those_of_exhaustive_searches(scenario: Scenario) -> None:
    assert scenario.priority == fewest(scenario.nodes, scenario.devices, free=False)
    assert scenario.fewest_regions == fewest(scenario.nodes, scenario.devices, free=True)
    regions = [
        (device, names.split(",")) for device, _, names in (r.partition(":") for r in scenario.reverse_dfs)
    ]
    assert as_sets(regions) == searched_backwards(scenario.nodes, scenario.devices)


@pytest.mark.parametrize(
    "limits", [Limits(), Limits(ops=2), Limits(inputs=1, weight_bytes=2000), Limits(ops=0)]
)
def test_every_scenario_passes_whatever_the_limits(limits: Limits) -> None:
    verdicts = list(check_partition(read_scenarios(), {"a": limits, "b": limits}))
    assert len(verdicts) > 15
    assert [(verdict.scenario.name, verdict.wrong) for verdict in verdicts if not verdict.ok] == []


def test_what_is_wrong_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = next(scenario for scenario in read_scenarios() if scenario.name == "bypass")
    wrong = replace(scenario, priority=1, fewest_regions=1, reverse_dfs=("a:p,q",))
    assert [verdict.wrong for verdict in check_partition([wrong])] == [
        (
            "priority: 2 regions, expected 1",
            "fewest_regions: 2 regions, expected 1",
            "reverse_dfs: a:p a:q, expected a:p,q",
        )
    ]
    monkeypatch.setattr(partition, "reverse_dfs_regions", lambda *_: [("a", ["p", "q"])])
    assert [verdict.wrong for verdict in check_partition([scenario])] == [
        (
            "reverse_dfs: region 0 of a runs 'q' before 'h', which it reads",
            "reverse_dfs, split: region 0 of a runs 'q' before 'h', which it reads",
            "reverse_dfs: a:p,q, expected a:p a:q",
        )
    ]


def test_a_graph_in_a_line() -> None:
    assert read_graph("p[a/b](x,y); q(p);") == [
        {"name": "p", "inputs": ["x", "y"], "supported_by": ["a", "b"]},
        {"name": "q", "inputs": ["p"], "supported_by": []},
    ]
    assert read_graph("") == []
