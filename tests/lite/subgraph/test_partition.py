"""Marks become regions: which are kept, and which are returned to the host, with a reason."""

from __future__ import annotations

from lite.ir.text import parse_graph
from lite.plugin.device import Limits
from lite.plugin.device.opening import open_device
from lite.subgraph.mark import mark
from lite.subgraph.partition import Partition, Request, partition
from tests.support.fake_device import NO_LIMITS, fake_device

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


def divide(text: str, *ops: str, least: int = 1, limits: Limits = NO_LIMITS) -> Partition:
    graph = parse_graph(text)
    with fake_device(*ops, limits=limits):
        devices = [open_device("fake")]
        return partition(graph, mark(graph, devices), devices, Request(min_subgraph_ops=least))


def names(result: Partition) -> list[list[str]]:
    return [[node.label for node in region.nodes] for region in result.regions]


def given_back(result: Partition) -> list[tuple[list[str], str]]:
    return [([node.label for node in region.nodes], region.reason) for region in result.pruned]


def test_ops_that_a_device_takes_are_regions() -> None:
    result = divide(TEXT, "relu", "tanh")
    assert names(result) == [["a", "b", "dead"], ["d"]]
    assert given_back(result) == []


def test_without_supported_ops_there_are_no_regions() -> None:
    result = divide(TEXT, "abs")
    assert result == Partition([], [], {"levels": 0, "reverse_dfs": 0})


def test_an_unread_region_is_returned_to_the_host() -> None:
    result = divide(TEXT, "relu")
    assert given_back(result) == []
    result = divide(TEXT, "relu", limits=Limits(ops=1))
    assert names(result) == [["a"], ["d"]]
    assert given_back(result) == [(["dead"], "nothing reads what it computes")]


def test_small_regions_are_returned_to_the_host() -> None:
    result = divide(TEXT, "relu", "tanh", least=2)
    assert names(result) == [["a", "b", "dead"]]
    assert [nodes for nodes, _ in given_back(result)] == [["d"]]


def test_ops_that_one_device_returns_are_offered_to_the_next() -> None:
    graph = parse_graph("""
        graph main(%x: float32[2]) {
          %a = sigmoid(X=%x) : float32[2]
          %b = sigmoid(X=%a) : float32[2]
          %c = relu(X=%b) : float32[2]
          return %c
        }
    """)
    with fake_device("relu", name="first"), fake_device("relu", "sigmoid", name="second"):
        devices = [open_device("first"), open_device("second")]
        result = partition(graph, mark(graph, devices), devices, Request(min_subgraph_ops=2))
    assert [region.device for region in result.regions] == ["second"]
    assert names(result) == [["a", "b", "c"]]
    assert given_back(result) == [(["c"], "1 of its 1 ops compute (relu), fewer than the 2 required")]
