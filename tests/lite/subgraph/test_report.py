"""The summary of a placement report."""

from __future__ import annotations

import pytest

from lite.subgraph.report import OpReport, PlacementReport

OPEN = "the MACs depend on sizes that the model leaves open; Config.input_shapes gives them"


@pytest.mark.parametrize(
    ("macs", "lines"),
    [
        (
            (30, 10),
            ["2 ops in 0 regions: host 50% of the ops, 25% of the MACs; npu 50% of the ops, 75% of the MACs"],
        ),
        ((0, 0), ["2 ops in 0 regions: host 50% of the ops; npu 50% of the ops"]),
        ((30, None), ["2 ops in 0 regions: host 50% of the ops; npu 50% of the ops", OPEN]),
    ],
)
def test_shares_of_macs_are_printed_where_they_are_known(
    macs: tuple[int | None, int | None], lines: list[str]
) -> None:
    report = PlacementReport()
    for name, place, count in zip("ab", ("npu", "host"), macs, strict=True):
        report.enter(OpReport(name, "relu", "main", place, {}, count, 4))
    assert str(report).splitlines() == lines
