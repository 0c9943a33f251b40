from __future__ import annotations

import numpy as np
import pytest

from tests.bridges.region import check
from tests.bridges.sim_npu.opened import nodes_of, opened, reason
from tests.bridges.sim_npu.sdk.program_run import floats, integers

OPS = ["add", "sub", "mul", "div", "max", "min"]


def text(op: str, x: str, y: str, axis: int = -1) -> str:
    return f"graph main(%x: {x}, %y: {y}) {{ %z = elementwise_{op}(X=%x, Y=%y) {{axis={axis}}} return %z }}"


@pytest.mark.parametrize(
    ("x", "y", "axis"),
    [
        ((2, 3, 4), (2, 3, 4), -1),
        ((2, 3, 4), (4,), -1),
        ((2, 3, 4), (3,), 1),
        ((2, 3, 4), (2, 3), 0),
        ((4,), (2, 3, 4), -1),
        ((2, 1, 4), (2, 3, 1), -1),
        ((2, 3), (1,), -1),
    ],
)
@pytest.mark.parametrize("op", OPS)
def test_floats(op: str, x: tuple[int, ...], y: tuple[int, ...], axis: int) -> None:
    given = text(op, f"float32{list(x)}", f"float32{list(y)}", axis)
    check(opened(), given, floats(*x), floats(*y, seed=1))


@pytest.mark.parametrize("op", [op for op in OPS if op != "div"])
def test_integers(op: str) -> None:
    check(opened(), text(op, "int32[2,3]", "int32[3]"), integers(2, 3), integers(3, seed=1))


def test_a_constant_is_reshaped_here_and_another_tensor_there() -> None:
    constant = """graph main(%x: float32[2,3]) { %y = const float32[2] [1.0, 2.0]
        %z = elementwise_add(X=%x, Y=%y) {axis=0} return %z }"""

    check(opened(), constant, floats(2, 3))
    assert nodes_of(constant) == {"ADD": 1}
    assert nodes_of(text("add", "float32[2,3]", "float32[2]", 0)) == {"RESHAPE": 1, "ADD": 1}


def test_a_constant_without_axes_is_a_number() -> None:
    given = """graph main(%x: float32[2,3]) { %y = const float32[] [2.5]
        %z = elementwise_mul(X=%x, Y=%y) return %z }"""
    check(opened(), given, floats(2, 3))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (text("div", "int32[2]", "int32[2]"), "X is int32[2]; the device computes in float32"),
        (text("add", "int64[2]", "int64[2]"), "X is int64[2]; the device computes in float32 or int32"),
        (
            text("add", "float32[2]", "int32[2]"),
            "X is float32[2], Y is int32[2]; the device has one element type for both",
        ),
        (
            text("add", "float32[2]", "float32[]"),
            "Y is float32[], of rank 0; the device's tensors have 1 to 5 axes",
        ),
        (
            text("max", "float32[1,1,1,1,1,2]", "float32[2]"),
            "X is float32[1,1,1,1,1,2], of rank 6; the device's tensors have 1 to 5 axes",
        ),
    ],
)
def test_declined(given: str, sentence: str) -> None:
    assert reason(given) == sentence


def test_a_product_with_a_scale_is_declined() -> None:
    given = """graph main(%x: float32[2], %y: float32[2]) {
        %z = elementwise_mul(X=%x, Y=%y) {scale=2.0} return %z }"""
    assert reason(given) == "a scale is fused into it; the device's MUL has none"


def test_infinities_do_not_warn() -> None:
    check(opened(), text("div", "float32[1]", "float32[1]"), np.zeros(1, np.float32), np.ones(1, np.float32))
