"""Activations on the simulated NPU."""

from __future__ import annotations

import pytest

from tests.bridges.arrays import floats
from tests.bridges.devices import SIM_NPU
from tests.bridges.sim_npu.nodes import nodes_of


def text(op: str, attributes: str, type_: str = "float32[2,3,4]") -> str:
    return f"graph main(%x: {type_}) {{ %y = {op}(X=%x) {{{attributes}}} return %y }}"


@pytest.mark.parametrize(
    ("op", "attributes", "kind"),
    [
        ("relu", "", "RELU"),
        ("sigmoid", "", "SIGMOID"),
        ("tanh", "", "TANH"),
        ("hard_sigmoid", "slope=0.25, offset=0.4", "HARD_SIGMOID"),
        ("hard_sigmoid", "", "HARD_SIGMOID"),
        ("leaky_relu", "alpha=0.3", "LEAKY_RELU"),
        ("relu6", "", "CLIP"),
        ("relu6", "threshold=1.5", "CLIP"),
        ("relu_clipped", "Relu_clipped_coef=2.0", "CLIP"),
        ("clip", "min=-0.5, max=0.25", "CLIP"),
        ("hard_swish", "", "HARD_SWISH"),
        ("gelu", "", "GELU"),
        ("gelu", "approximate=true", "GELU"),
    ],
)
def test_an_activation_becomes_one_node_and_equals_the_host(op: str, attributes: str, kind: str) -> None:
    SIM_NPU.check(text(op, attributes), 2 * floats(2, 3, 4))
    assert nodes_of(text(op, attributes)) == {kind: 1}


@pytest.mark.parametrize(
    ("op", "attributes", "sentence"),
    [
        ("leaky_relu", "alpha=1.5", "alpha is 1.5; the device takes at most 1"),
        (
            "hard_swish",
            "offset=2.0",
            "threshold, scale, offset are [6.0, 6.0, 2.0]; the device has 6, 6, 3",
        ),
        ("relu6", "threshold=-1.0", "the bounds are 0.0 and -1.0; the device takes them in order"),
        ("clip", "min=2.0, max=1.0", "the bounds are 2.0 and 1.0; the device takes them in order"),
    ],
)
def test_numbers_beyond_the_limits_are_declined(op: str, attributes: str, sentence: str) -> None:
    assert SIM_NPU.why_not(text(op, attributes)) == sentence


@pytest.mark.parametrize("op", ["relu", "relu6", "gelu", "leaky_relu", "hard_swish"])
def test_float16_is_declined(op: str) -> None:
    assert SIM_NPU.why_not(text(op, "", "float16[3]")) == "X is float16[3]; the device computes in float32"


def test_a_bound_that_is_a_tensor_is_declined() -> None:
    source = "graph main(%x: float32[3], %m: float32[1]) { %y = clip(X=%x, Min=%m) {max=1.0} return %y }"
    assert SIM_NPU.why_not(source) == "input Min is given; the device's operator has no such input"


@pytest.mark.parametrize(
    ("op", "attributes", "nodes"),
    [
        ("swish", "", {"SIGMOID": 1, "MUL": 1}),
        ("swish", "beta=0.5", {"SIGMOID": 1, "MUL": 2}),
    ],
)
def test_swish_equals_the_host(op: str, attributes: str, nodes: dict[str, int]) -> None:
    source = f"graph main(%x: float32[2,5]) {{ %y = {op}(X=%x) {{{attributes}}} return %y }}"

    SIM_NPU.check(source, 3 * floats(2, 5))
    assert nodes_of(source) == nodes


def test_an_empty_tensor_is_declined() -> None:
    source = "graph main(%x: float32[0,5]) { %y = swish(X=%x) return %y }"
    assert SIM_NPU.why_not(source) == "X is float32[0,5]; the device has no tensors without elements"
