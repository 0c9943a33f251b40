"""Fused convolutions on the simulated NPU."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lite.plugin.device.bridging import matches_of
from tests.bridges.arrays import floats
from tests.bridges.devices import SIM_NPU
from tests.bridges.region import region
from tests.bridges.sim_npu.nodes import nodes_of

CONSTANTS = """%w = const float32[3,4,3,3] random(1) %b = const float32[3] random(2)
    %s = const float32[3] random(3) %t = const float32[3] random(4) %m = const float32[3] random(5)
    %v = const float32[3] [0.5, 1.0, 2.0]"""
CONV = "Output=%c = conv2d(Input=%x, Filter=%w)"
BIASED = "Output=%c = conv2d(Input=%x, Filter=%w, Bias=%t)"
ADD = "%a = elementwise_add(X={0}, Y=%b) {{axis=1}}"
NORM = "Y=%n = batch_norm(X={0}, Scale=%s, Bias=%t, Mean=%m, Variance=%v)"
RELU = "%r = relu(X={0})"
RELU6 = "%r = relu6(X={0})"


def text(*ops: str, results: Sequence[str] = (), constants: str = CONSTANTS) -> str:
    """A region of ops, each of which reads what the one before it writes."""
    lines, last = [], "%x"
    for op in ops:
        lines.append(op.format(last))
        last = op[op.index("%") : op.index(" =")]
    returned = ", ".join([*results, last])
    body = "\n".join(lines)
    return f"graph main(%x: float32[1,4,6,5]) {{ {constants} {body} return {returned} }}"


@pytest.mark.parametrize("conv", [CONV, BIASED])
@pytest.mark.parametrize(
    "followers",
    [
        [RELU],
        [RELU6],
        [ADD],
        [NORM],
        [ADD, RELU],
        [NORM, RELU],
        [ADD, NORM],
        [ADD, NORM, RELU6],
    ],
)
def test_a_group_becomes_one_node_and_equals_the_host(conv: str, followers: list[str]) -> None:
    source = text(conv, *followers)

    SIM_NPU.check(source, 3 * floats(1, 4, 6, 5))
    assert nodes_of(source) == {"CONV_2D": 1}
    (match,) = matches_of(region(source), SIM_NPU.open())
    assert match.composite.name == "sim_npu.conv"
    assert len(match.nodes) == 1 + len(followers)


def test_depthwise_convolutions_and_a_bias_on_the_left_are_fused() -> None:
    source = """graph main(%x: float32[1,4,6,5]) {
        %w = const float32[4,1,3,3] random(1) %b = const float32[1,4,1,1] random(2)
        Output=%c = conv2d(Input=%x, Filter=%w) {groups=4}
        %a = elementwise_add(X=%b, Y=%c) %r = relu(X=%a) return %r }"""

    SIM_NPU.check(source, floats(1, 4, 6, 5))
    assert nodes_of(source) == {"CONV_2D": 1}


@pytest.mark.parametrize(
    ("source", "nodes"),
    [
        # The region returns an intermediate value.
        (text(CONV, RELU, results=["%c"]), {"CONV_2D": 1, "RELU": 1}),
        # The device does not have the activation for free.
        (text(CONV, "%r = tanh(X=%c)"), {"CONV_2D": 1, "TANH": 1}),
        (text(CONV, "%r = relu6(X=%c) {{threshold=4.0}}"), {"CONV_2D": 1, "CLIP": 1}),
        # The convolution has its own activation.
        (text(CONV.replace("=%w)", '=%w) {{activation="relu"}}'), NORM), {"CONV_2D": 1, "SCALE_SHIFT": 1}),
        # The added constant differs along the rows.
        (
            text(
                CONV,
                "%a = elementwise_add(X=%c, Y=%k)",
                constants=f"{CONSTANTS} %k = const float32[3] random(2)",
            ),
            {"CONV_2D": 1, "ADD": 1},
        ),
        # A convolution alone is not a group.
        (text(CONV), {"CONV_2D": 1}),
    ],
)
def test_other_ops_are_not_fused(source: str, nodes: dict[str, int]) -> None:
    SIM_NPU.check(source, 3 * floats(1, 4, 6, 5))
    assert nodes_of(source) == nodes


def test_unknown_sizes_are_accepted() -> None:
    source = text(CONV, ADD, NORM, RELU).replace("float32[1,4,6,5]", "float32[n,4,h,w]")
    assert len(matches_of(region(source), SIM_NPU.open())) == 1
