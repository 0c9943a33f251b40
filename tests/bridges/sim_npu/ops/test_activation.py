from __future__ import annotations

import pytest

from tests.bridges.region import check
from tests.bridges.sim_npu.opened import nodes_of, opened, reason
from tests.bridges.sim_npu.sdk.program_run import floats


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
def test_one_node_with_the_hosts_results(op: str, attributes: str, kind: str) -> None:
    check(opened(), text(op, attributes), 2 * floats(2, 3, 4))
    assert nodes_of(text(op, attributes)) == {kind: 1}


@pytest.mark.parametrize(
    ("op", "attributes", "sentence"),
    [
        ("leaky_relu", "alpha=1.5", "alpha is 1.5; the device's is at most 1"),
        (
            "hard_swish",
            "offset=2.0",
            "threshold, scale, offset are [6.0, 6.0, 2.0]; the device's are 6, 6, 3",
        ),
        ("relu6", "threshold=-1.0", "the bounds are 0.0 and -1.0; the device's must be in order"),
        ("clip", "min=2.0, max=1.0", "the bounds are 2.0 and 1.0; the device's must be in order"),
    ],
)
def test_declined(op: str, attributes: str, sentence: str) -> None:
    assert reason(text(op, attributes)) == sentence


@pytest.mark.parametrize("op", ["relu", "relu6", "gelu", "leaky_relu", "hard_swish"])
def test_halves_are_declined(op: str) -> None:
    assert reason(text(op, "", "float16[3]")) == "X is float16[3]; the device computes in float32"


def test_a_bound_that_is_a_tensor_is_declined() -> None:
    given = "graph main(%x: float32[3], %m: float32[1]) { %y = clip(X=%x, Min=%m) {max=1.0} return %y }"
    assert reason(given) == "input Min is given; the device's operator has no such input"
