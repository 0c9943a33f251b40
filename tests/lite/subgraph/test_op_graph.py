"""Ops know their readers and must be numbered in running order."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from lite.subgraph.op_graph import OpGraph, PlannedOp


def test_readers_and_devices_follow_from_the_ops() -> None:
    graph = OpGraph([PlannedOp(), PlannedOp((0,), (0, 2)), PlannedOp((0, 1), (1,)), PlannedOp((2,))])
    assert graph.sources == [(), (0,), (0, 1), (2,)]
    assert graph.readers == [[1, 2], [2], [3], []]
    assert graph.device_count == 3
    assert len(graph) == 4


def test_an_empty_graph_has_no_devices() -> None:
    graph = OpGraph([])
    assert (len(graph), graph.readers, graph.device_count) == (0, [], 0)


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ([(1,), ()], "op 0 reads op 1; ops must be numbered in running order"),
        ([(), (1,)], "op 1 reads op 1; ops must be numbered in running order"),
        ([(), (-1,)], "op 1 reads op -1; ops must be numbered in running order"),
    ],
)
def test_an_op_that_does_not_read_an_earlier_one_is_an_error(
    sources: list[tuple[int, ...]], message: str
) -> None:
    with pytest.raises(GraphError) as caught:
        OpGraph([PlannedOp(source) for source in sources])
    assert str(caught.value) == message
