"""Marks become regions: what is kept, and what goes back to the host with which reason."""

from __future__ import annotations

from lite.ir.text import parse_graph
from lite.plugin.device import Limits
from lite.plugin.device.opening import open_device
from lite.subgraph.mark import mark
from lite.subgraph.partition import Partition, Request, partition
from tests.fake_device import NO_LIMITS, fake_device

TEXT = """
graph main(%x: float32[2]) {
  %a = relu(X=%x) : float32[2]
  %b = tanh(X=%a) : float32[2]
  %dead = relu(X=%b) : float32[2]
  %c = sigmoid(X=%b) : float32[2]
  %d = relu(X=%c) : float32[2]
  return %d
}
"""


def divided(text: str, *ops: str, least: int = 1, limits: Limits = NO_LIMITS) -> Partition:
    graph = parse_graph(text)
    with fake_device(*ops, limits=limits):
        devices = [open_device("fake")]
        return partition(graph, mark(graph, devices), devices, Request(min_subgraph_ops=least))


def names(found: Partition) -> list[list[str]]:
    return [[node.label for node in nodes] for _, nodes in found.regions]


def given_back(found: Partition) -> list[tuple[list[str], str]]:
    return [([node.label for node in nodes], reason) for _, nodes, reason in found.pruned]


def test_ops_that_a_device_takes_are_regions() -> None:
    found = divided(TEXT, "relu", "tanh")
    assert names(found) == [["a", "b", "dead"], ["d"]]
    assert given_back(found) == []


def test_nothing_is_a_region_where_no_op_is_taken() -> None:
    found = divided(TEXT, "abs")
    assert (found.regions, found.pruned, found.detectors) == ([], [], {"levels": 0, "reverse_dfs": 0})


def test_a_region_that_nothing_reads_is_given_back() -> None:
    found = divided(TEXT, "relu")
    assert given_back(found) == []
    found = divided(TEXT, "relu", limits=Limits(ops=1))
    assert names(found) == [["a"], ["d"]]
    assert given_back(found) == [(["dead"], "nothing reads what it computes")]


def test_small_regions_are_given_back() -> None:
    found = divided(TEXT, "relu", "tanh", least=2)
    assert names(found) == [["a", "b", "dead"]]
    assert [nodes for nodes, _ in given_back(found)] == [["d"]]
