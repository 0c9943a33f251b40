"""Regions start early where the host has work for the time that they run."""

from __future__ import annotations

import pytest

from lite.ir.graph import Graph
from lite.ir.text import parse_graph
from lite.ops.infer_graph import infer_metas
from lite.plan.early_regions import early_regions
from lite.subgraph.rewrite import rewrite


def graph(size: int | str) -> Graph:
    """Two host ops, a region that depends on neither, and a sum of both."""
    kind = f"float32[{size},{size}]"
    made = parse_graph(
        f"""graph main(%x: {kind}, %y: {kind}) {{
          %a = matmul_v2(X=%x, Y=%x)
          %b = relu(X=%a)
          %r = tanh(X=%y)
          %z = elementwise_add(X=%b, Y=%r)
          return %z
        }}"""
    )
    infer_metas(made)
    rewrite(made, [("npu", 0, [node for node in made if node.op == "tanh"])])
    made.reorder(sorted(made, key=lambda node: node.label))
    return made


def order(size: int | str, device: str = "npu") -> list[str]:
    return [node.label for node in early_regions(graph(size), lambda name: name == device)]


@pytest.mark.parametrize("size", [512, "n"])
def test_a_region_starts_before_work_that_it_does_not_wait_for(size: int | str) -> None:
    assert order(size) == ["r", "a", "b", "z"]


def test_the_order_stays_where_there_is_little_work_beside_the_region() -> None:
    assert order(16) == ["a", "b", "r", "z"]


def test_the_order_stays_without_a_device_that_runs_beside_the_host() -> None:
    assert order(512, "other") == ["a", "b", "r", "z"]
