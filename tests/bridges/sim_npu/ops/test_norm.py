"""Normalisations and softmax on the simulated NPU."""

from __future__ import annotations

import pytest

from tests.bridges.arrays import floats
from tests.bridges.devices import SIM_NPU
from tests.bridges.sim_npu.nodes import nodes_of


def batch_norm(attributes: str = "", slots: str = ", Scale=%s, Bias=%b", image: str = "2,3,4,5") -> str:
    return f"""graph main(%x: float32[{image}]) {{
        %s = const float32[3] random(1) %b = const float32[3] random(2) %m = const float32[3] random(3)
        %v = const float32[3] [0.5, 1.0, 2.0]
        Y=%y = batch_norm(X=%x, Mean=%m, Variance=%v{slots}) {{{attributes}}} return %y }}"""


@pytest.mark.parametrize("slots", ["", ", Scale=%s", ", Bias=%b", ", Scale=%s, Bias=%b"])
@pytest.mark.parametrize(
    "attributes", ["", "epsilon=0.1", "is_test=false, use_global_stats=true", 'data_layout="AnyLayout"']
)
def test_batch_norm_equals_the_host(attributes: str, slots: str) -> None:
    SIM_NPU.check(batch_norm(attributes, slots), floats(2, 3, 4, 5))
    assert nodes_of(batch_norm(attributes, slots)) == {"SCALE_SHIFT": 1}


@pytest.mark.parametrize("image", [(2, 3), (2, 3, 4)])
def test_batch_norm_of_other_ranks_equals_the_host(image: tuple[int, ...]) -> None:
    SIM_NPU.check(batch_norm(image=str(list(image))[1:-1]), floats(*image))


AFFINE = """graph main(%x: float32[2,3,4,5]) { %s = const float32[3] random(1) %b = const float32[3] random(2)
    %y = affine_channel(X=%x, Scale=%s, Bias=%b) return %y }"""


def test_affine_channel_equals_the_host() -> None:
    SIM_NPU.check(AFFINE, floats(2, 3, 4, 5))
    assert nodes_of(AFFINE) == {"SCALE_SHIFT": 1}


def layer_norm(slots: str = "", attributes: str = "", outputs: str = "") -> str:
    return f"""graph main(%x: float32[2,3,4]) {{
        %s = const float32[12] random(1) %b = const float32[12] random(2)
        Y=%y{outputs} = layer_norm(X=%x{slots}) {{{attributes}}} return %y{", %mean" if outputs else ""} }}"""


@pytest.mark.parametrize("slots", ["", ", Scale=%s", ", Bias=%b", ", Scale=%s, Bias=%b"])
def test_layer_norm_equals_the_host(slots: str) -> None:
    SIM_NPU.check(layer_norm(slots, "epsilon=0.01"), floats(2, 3, 4) + 2)
    assert nodes_of(layer_norm(slots)) == {"LAYER_NORM": 1}


def test_layer_norm_with_a_computed_scale_equals_the_host() -> None:
    text = """graph main(%x: float32[2,3,4], %s: float32[4], %b: float32[4]) {
        Y=%y = layer_norm(X=%x, Scale=%s, Bias=%b) {begin_norm_axis=2} return %y }"""
    SIM_NPU.check(text, floats(2, 3, 4), floats(4, seed=1), floats(4, seed=2))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (batch_norm("is_test=false"), "it computes the statistics of its batch; the device takes constants"),
        (
            batch_norm("trainable_statistics=true"),
            "it computes the statistics of its batch; the device takes constants",
        ),
        (
            batch_norm('data_layout="NHWC"', image="2,4,5,3"),
            "the layout is NHWC; the device has channels on axis 1",
        ),
        (
            batch_norm().replace("Y=%y", "Y=%y, MeanOut=%o").replace("return %y", "return %y, %o"),
            "output MeanOut is read; the device computes Y alone",
        ),
        (
            AFFINE.replace("%s = const float32[3] random(1)", "").replace("4,5])", "4,5], %s: float32[3])"),
            "Scale is computed at run time; the device keeps it in its weight memory, as a constant",
        ),
        (layer_norm(outputs=", Mean=%mean"), "output Mean is read; the device computes Y alone"),
    ],
)
def test_normalisations_beyond_the_limits_are_declined(text: str, sentence: str) -> None:
    assert SIM_NPU.why_not(text) == sentence


def test_batch_norm_of_a_matrix_has_no_layout() -> None:
    SIM_NPU.check(batch_norm('data_layout="NHWC"', image="2,3"), floats(2, 3))


@pytest.mark.parametrize("axis", [-1, 0, 1, -3])
def test_softmax_equals_the_host(axis: int) -> None:
    source = f"graph main(%x: float32[2,3,4]) {{ %y = softmax(X=%x) {{axis={axis}}} return %y }}"
    SIM_NPU.check(source, 5 * floats(2, 3, 4))
