"""The benchmark's graphs are divided by every planner, and its table has a cell for each size."""

from __future__ import annotations

import pytest

from lite.tools.bench.partition import FORMS, PLANNERS, markdown, measure


@pytest.mark.parametrize("form", list(FORMS))
def test_every_planner_divides_a_graph(form: str) -> None:
    rows = [row for ops in (50, 100) for row in measure(form, ops, 2, runs=1)]
    assert [(row.planner, row.ops) for row in rows] == [
        (planner, ops) for ops in (50, 100) for planner in PLANNERS
    ]
    assert all(row.regions > 1 and row.seconds > 0 for row in rows)
    lines = markdown(rows).splitlines()
    assert "| planner | devices | 50 ops | 100 ops |" in lines
    assert [line.split(" | ")[0] for line in lines if line.endswith(" |") and " s, " in line] == [
        f"| {planner}" for planner in PLANNERS
    ]
