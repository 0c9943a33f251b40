from __future__ import annotations

import pytest

from tests.bridges.region import check
from tests.bridges.sim_npu.opened import nodes_of, opened, reason
from tests.bridges.sim_npu.sdk.program_run import floats


def text(op: str, attributes: str) -> str:
    return f"graph main(%x: float32[2,3,4]) {{ %y = {op}(X=%x) {{{attributes}}} return %y }}"


@pytest.mark.parametrize("axis", [-1, 0, 1, -3])
def test_softmax(axis: int) -> None:
    check(opened(), text("softmax", f"axis={axis}"), 5 * floats(2, 3, 4))


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
def test_means(attributes: str, nodes: dict[str, int]) -> None:
    check(opened(), text("reduce_mean", attributes), floats(2, 3, 4))
    assert nodes_of(text("reduce_mean", attributes)) == nodes


def test_a_mean_without_axes_is_declined() -> None:
    assert reason(text("reduce_mean", "reduce_all=true")) == (
        "Out is float32[], of rank 0; the device's tensors have 1 to 5 axes"
    )
