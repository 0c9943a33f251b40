"""Elementwise ops on the simulated NPU."""

from __future__ import annotations

import numpy as np
import pytest

from tests.bridges.arrays import floats, integers
from tests.bridges.devices import SIM_NPU
from tests.bridges.sim_npu.nodes import nodes_of

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
def test_float32_equals_the_host(op: str, x: tuple[int, ...], y: tuple[int, ...], axis: int) -> None:
    source = text(op, f"float32{list(x)}", f"float32{list(y)}", axis)
    SIM_NPU.check(source, floats(*x), floats(*y, seed=1))


@pytest.mark.parametrize("op", [op for op in OPS if op != "div"])
def test_int32_equals_the_host(op: str) -> None:
    SIM_NPU.check(text(op, "int32[2,3]", "int32[3]"), integers(2, 3), integers(3, seed=1))


def test_only_a_tensor_that_is_not_constant_needs_a_reshape() -> None:
    constant = """graph main(%x: float32[2,3]) { %y = const float32[2] [1.0, 2.0]
        %z = elementwise_add(X=%x, Y=%y) {axis=0} return %z }"""

    SIM_NPU.check(constant, floats(2, 3))
    assert nodes_of(constant) == {"ADD": 1}
    assert nodes_of(text("add", "float32[2,3]", "float32[2]", 0)) == {"RESHAPE": 1, "ADD": 1}


def test_a_constant_of_rank_0_equals_the_host() -> None:
    source = """graph main(%x: float32[2,3]) { %y = const float32[] [2.5]
        %z = elementwise_mul(X=%x, Y=%y) return %z }"""
    SIM_NPU.check(source, floats(2, 3))


@pytest.mark.parametrize(
    ("source", "sentence"),
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
def test_other_types_and_ranks_are_declined(source: str, sentence: str) -> None:
    assert SIM_NPU.why_not(source) == sentence


def test_a_product_with_a_scale_is_declined() -> None:
    source = """graph main(%x: float32[2], %y: float32[2]) {
        %z = elementwise_mul(X=%x, Y=%y) {scale=2.0} return %z }"""
    assert SIM_NPU.why_not(source) == "a scale is fused into it; the device's MUL has none"


def test_zero_divided_by_one_equals_the_host() -> None:
    SIM_NPU.check(text("div", "float32[1]", "float32[1]"), np.zeros(1, np.float32), np.ones(1, np.float32))


def unary(op: str, attributes: str, dtype: str = "float32") -> str:
    return f"graph main(%x: {dtype}[2,3]) {{ %y = {op}(X=%x) {{{attributes}}} return %y }}"


@pytest.mark.parametrize(
    ("op", "attributes", "nodes"),
    [
        ("scale", "scale=2.0, bias=0.5", {"MUL": 1, "ADD": 1}),
        ("scale", "scale=2.0, bias=0.5, bias_after_scale=false", {"MUL": 1, "ADD": 1}),
        ("scale", "scale=3.0", {"MUL": 1}),
        ("scale", "bias=1.0", {"ADD": 1}),
        ("scale", "", {}),
        ("dropout", "dropout_prob=0.25", {"MUL": 1}),
        ("dropout", 'dropout_prob=0.25, dropout_implementation="upscale_in_train"', {}),
    ],
)
def test_scale_and_dropout_equal_the_host(op: str, attributes: str, nodes: dict[str, int]) -> None:
    SIM_NPU.check(unary(op, attributes), floats(2, 3))
    assert nodes_of(unary(op, attributes)) == nodes


@pytest.mark.parametrize("attributes", ["scale=2.7, bias=1.9", "scale=2.7, bias=1.9, bias_after_scale=false"])
def test_scale_of_int32_truncates_its_numbers(attributes: str) -> None:
    SIM_NPU.check(unary("scale", attributes, "int32"), integers(2, 3))


@pytest.mark.parametrize("attributes", ['activation="relu"', "scale1=2.0", "bias1=1.0"])
def test_a_fused_scale_is_declined(attributes: str) -> None:
    assert SIM_NPU.why_not(unary("scale", attributes)) == (
        "an activation or a second scale is fused into it; the device has no such operator"
    )


def test_dropout_whose_mask_is_read_is_declined() -> None:
    source = "graph main(%x: float32[2]) { %y, Mask=%m = dropout(X=%x) return %y, %m }"
    assert SIM_NPU.why_not(source) == "output Mask is read; the device computes Out alone"
