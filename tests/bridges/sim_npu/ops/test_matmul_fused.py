"""Fused matrix products on the simulated NPU."""

from __future__ import annotations

import pytest

from lite.plugin.device.bridging import matches_of
from tests.bridges.arrays import floats
from tests.bridges.devices import SIM_NPU
from tests.bridges.region import region
from tests.bridges.sim_npu.nodes import nodes_of


def text(
    product: str = "matmul_v2(X=%x, Y=%w)",
    add: str = "elementwise_add(X=%p, Y=%b)",
    activation: str = "",
    x: str = "2,3",
    w: str = "3,4",
    b: str = "4",
) -> str:
    last = f"%z = {activation}(X=%a) return %z" if activation else "return %a"
    return f"""graph main(%x: float32[{x}]) {{
        %w = const float32[{w}] random(1) %b = const float32[{b}] random(2)
        %p = {product} %a = {add} {last} }}"""


@pytest.mark.parametrize("activation", ["", "relu", "relu6"])
@pytest.mark.parametrize(
    ("product", "x", "b", "nodes"),
    [
        ("matmul_v2(X=%x, Y=%w)", (2, 3), "4", {"FULLY_CONNECTED": 1}),
        ("mul(X=%x, Y=%w)", (2, 3), "1,4", {"FULLY_CONNECTED": 1}),
        ("matmul_v2(X=%x, Y=%w)", (5, 2, 3), "4", {"FULLY_CONNECTED": 1, "RESHAPE": 2}),
        ("mul(X=%x, Y=%w) {x_num_col_dims=2}", (5, 2, 3), "1,1,4", {"FULLY_CONNECTED": 1, "RESHAPE": 2}),
    ],
)
def test_a_group_becomes_one_node_and_equals_the_host(
    product: str, x: tuple[int, ...], b: str, nodes: dict[str, int], activation: str
) -> None:
    source = text(product, activation=activation, x=str(list(x))[1:-1], b=b)

    SIM_NPU.check(source, 3 * floats(*x))
    assert nodes_of(source) == nodes
    assert [match.composite.name for match in matches_of(region(source), SIM_NPU.open())] == [
        "sim_npu.fully_connected"
    ]


@pytest.mark.parametrize(
    ("source", "x", "nodes"),
    [
        (text("matmul_v2(X=%x, Y=%w) {trans_y=true}", w="4,3"), (2, 3), {"MATMUL": 1, "ADD": 1}),
        (text(b="2,4"), (2, 3), {"MATMUL": 1, "ADD": 1}),
        (text(b="1"), (2, 3), {"MATMUL": 1, "ADD": 1}),
        (text(x="2,2,3", w="2,3,4"), (2, 2, 3), {"MATMUL": 1, "ADD": 1}),
        (text(activation="tanh"), (2, 3), {"FULLY_CONNECTED": 1, "TANH": 1}),
    ],
)
def test_other_ops_are_not_fused(source: str, x: tuple[int, ...], nodes: dict[str, int]) -> None:
    SIM_NPU.check(source, floats(*x))
    assert nodes_of(source) == nodes


def test_a_vector_is_not_fused() -> None:
    assert matches_of(region(text(x="3")), SIM_NPU.open()) == []
