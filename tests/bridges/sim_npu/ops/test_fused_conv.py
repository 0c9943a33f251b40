from __future__ import annotations

from collections.abc import Sequence

import pytest

from lite.plugin.device.convert import matches_of
from tests.bridges.region import check, region
from tests.bridges.sim_npu.opened import nodes_of, opened
from tests.bridges.sim_npu.sdk.program_run import floats

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
    "behind",
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
def test_one_node_with_the_hosts_results(conv: str, behind: list[str]) -> None:
    given = text(conv, *behind)

    check(opened(), given, 3 * floats(1, 4, 6, 5))
    assert nodes_of(given) == {"CONV_2D": 1}
    (match,) = matches_of(region(given), opened())
    assert match.composite.name == "sim_npu.conv"
    assert len(match.nodes) == 1 + len(behind)


def test_depthwise_and_a_bias_on_the_left() -> None:
    given = """graph main(%x: float32[1,4,6,5]) {
        %w = const float32[4,1,3,3] random(1) %b = const float32[1,4,1,1] random(2)
        Output=%c = depthwise_conv2d(Input=%x, Filter=%w) {groups=4}
        %a = elementwise_add(X=%b, Y=%c) %r = relu(X=%a) return %r }"""

    check(opened(), given, floats(1, 4, 6, 5))
    assert nodes_of(given) == {"CONV_2D": 1}


@pytest.mark.parametrize(
    ("given", "nodes"),
    [
        # What lies between is read outside, too.
        (text(CONV, RELU, results=["%c"]), {"CONV_2D": 1, "RELU": 1}),
        # The activation is none that the device has for free.
        (text(CONV, "%r = tanh(X=%c)"), {"CONV_2D": 1, "TANH": 1}),
        (text(CONV, "%r = relu6(X=%c) {{threshold=4.0}}"), {"CONV_2D": 1, "CLIP": 1}),
        # It has one already.
        (text(CONV.replace("=%w)", "=%w) {{fuse_relu=true}}"), NORM), {"CONV_2D": 1, "SCALE_SHIFT": 1}),
        # What is added differs along the rows.
        (
            text(
                CONV,
                "%a = elementwise_add(X=%c, Y=%k)",
                constants=f"{CONSTANTS} %k = const float32[3] random(2)",
            ),
            {"CONV_2D": 1, "ADD": 1},
        ),
        # A convolution alone is no group.
        (text(CONV), {"CONV_2D": 1}),
    ],
)
def test_what_is_no_group(given: str, nodes: dict[str, int]) -> None:
    check(opened(), given, 3 * floats(1, 4, 6, 5))
    assert nodes_of(given) == nodes


def test_unknown_sizes_are_accepted() -> None:
    given = text(CONV, ADD, NORM, RELU).replace("float32[1,4,6,5]", "float32[n,4,h,w]")
    assert len(matches_of(region(given), opened())) == 1
