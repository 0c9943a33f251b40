"""Reductions on the simulated NPU."""

from __future__ import annotations

import pytest

from tests.bridges.arrays import floats
from tests.bridges.devices import SIM_NPU
from tests.bridges.sim_npu.nodes import nodes_of


def mean(attributes: str) -> str:
    return f"graph main(%x: float32[2,3,4]) {{ %y = reduce_mean(X=%x) {{{attributes}}} return %y }}"


@pytest.mark.parametrize(
    ("attributes", "nodes"),
    [
        ("dim=[1]", {"REDUCE_MEAN": 1, "RESHAPE": 1}),
        ("dim=[-1, 0], keep_dim=true", {"REDUCE_MEAN": 1}),
        ("dim=[1, -2], keep_dim=true", {"REDUCE_MEAN": 1}),
        ("reduce_all=true, keep_dim=true", {"REDUCE_MEAN": 1}),
        ("dim=[], keep_dim=true", {"REDUCE_MEAN": 1}),
    ],
)
def test_reduce_mean_equals_the_host(attributes: str, nodes: dict[str, int]) -> None:
    SIM_NPU.check(mean(attributes), floats(2, 3, 4))
    assert nodes_of(mean(attributes)) == nodes


def test_a_result_of_rank_0_is_declined() -> None:
    assert SIM_NPU.why_not(mean("reduce_all=true")) == (
        "Out is float32[], of rank 0; the device's tensors have 1 to 5 axes"
    )
