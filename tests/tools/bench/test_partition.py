"""The benchmark's graphs can be divided in every way, and its table has a cell for each size."""

from __future__ import annotations

import pytest

from lite.tools.bench.partition import FORMS, WAYS, markdown, measure


@pytest.mark.parametrize("form", list(FORMS))
def test_every_way_divides_a_graph(form: str) -> None:
    rows = [row for ops in (50, 100) for row in measure(form, ops, ("a", "b"), runs=1)]
    assert [(row.way, row.ops) for row in rows] == [(way, ops) for ops in (50, 100) for way in WAYS]
    assert all(row.regions > 1 and row.seconds > 0 for row in rows)
    lines = markdown(rows).splitlines()
    assert "| way | devices | 50 ops | 100 ops |" in lines
    assert [line.split(" | ")[0] for line in lines if line.endswith(" |") and " s, " in line] == [
        f"| {way}" for way in WAYS
    ]
