"""Convolutions on the simulated NPU."""

from __future__ import annotations

import pytest

from tests.bridges.arrays import floats
from tests.bridges.devices import SIM_NPU
from tests.bridges.sim_npu.nodes import nodes_of


def text(
    op: str = "conv2d",
    attributes: str = "",
    image: str = "1,4,9,8",
    weights: str = "6,4,3,3",
    bias: str = "",
    slots: str = "",
) -> str:
    constant = f"%b = const float32[{bias}] random(2)" if bias else ""
    slots += ", Bias=%b" if bias else ""
    return f"""graph main(%x: float32[{image}]) {{
        %w = const float32[{weights}] random(1) {constant}
        Output=%y = {op}(Input=%x, Filter=%w{slots}) {{{attributes}}} return %y }}"""


@pytest.mark.parametrize(
    ("attributes", "weights"),
    [
        ("", "6,4,3,3"),
        ("strides=[2, 2], paddings=[1, 1]", "6,4,3,3"),
        ("paddings=[0, 1, 2, 3]", "6,4,3,2"),
        ("dilations=[2, 2], paddings=[2, 2], groups=2", "6,2,3,3"),
        ('padding_algorithm="SAME", strides=[2, 2]', "6,4,3,3"),
        ('padding_algorithm="VALID", paddings=[1, 1]', "6,4,3,3"),
        ('padding_algorithm="SAME", dilations=[2, 2]', "6,4,3,3"),
        ("groups=4", "4,1,3,3"),
        ('activation="relu"', "6,4,3,3"),
        ('activation="relu6"', "6,4,3,3"),
        ('activation="relu6", activation_params=[6.0]', "6,4,3,3"),
        ('data_format="AnyLayout"', "6,4,1,1"),
    ],
)
@pytest.mark.parametrize("bias", ["", "{outputs}", "1,{outputs},1,1"])
def test_a_convolution_equals_the_host(attributes: str, weights: str, bias: str) -> None:
    source = text("conv2d", attributes, weights=weights, bias=bias.format(outputs=weights.split(",")[0]))

    SIM_NPU.check(source, 3 * floats(1, 4, 9, 8))
    assert nodes_of(source) == {"CONV_2D": 1}


@pytest.mark.parametrize(
    ("attributes", "weights"),
    [
        ("", "4,3,3,3"),
        ("strides=[2, 2], paddings=[1, 1]", "4,3,4,3"),
        ("strides=[2, 2], output_padding=[1, 0]", "4,3,2,2"),
        ("strides=[3, 3], output_size=[27, 24]", "4,3,2,2"),
        ("strides=[2, 2], groups=2, dilations=[2, 2], paddings=[0, 1, 1, 0]", "4,3,2,2"),
        ('padding_algorithm="SAME", strides=[2, 2]', "4,3,3,3"),
        ("groups=4", "4,1,3,3"),
        ('activation="relu"', "4,3,1,1"),
    ],
)
@pytest.mark.parametrize("biased", [False, True])
def test_a_transposed_convolution_equals_the_host(attributes: str, weights: str, biased: bool) -> None:
    groups = 4 if "groups=4" in attributes else 2 if "groups=2" in attributes else 1
    bias = str(int(weights.split(",")[1]) * groups) if biased else ""
    source = text("conv2d_transpose", attributes, weights=weights, bias=bias)

    SIM_NPU.check(source, floats(1, 4, 9, 8))
    assert nodes_of(source) == {"CONV_TRANSPOSE_2D": 1}


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (text(weights="6,4,9,3"), "the kernel is 9x3; the device takes up to 8x8"),
        (
            text(attributes="strides=[2, 1]"),
            "strides are 2x1; the device has one register for both, so they must be equal",
        ),
        (text(attributes="strides=[9, 9]"), "strides are 9x9; the device takes up to 8"),
        (
            text(attributes="dilations=[1, 2]"),
            "dilations are 1x2; the device has one register for both, so they must be equal",
        ),
        (
            text(attributes="paddings=[0, 16]"),
            "paddings are [0, 0, 16, 16] (top, bottom, left, right); the device takes 0 to 15",
        ),
        (text(attributes='activation="tanh"'), "tanh is fused into it; the device fuses relu and relu6"),
        (
            text(attributes='activation="relu6", activation_params=[4.0]'),
            "relu6 up to 4.0 is fused into it; the device's RELU6 ends at 6",
        ),
        (
            text(attributes='data_format="NHWC"', image="1,9,8,4"),
            "images are NHWC; the device takes NCHW",
        ),
        (
            text("conv2d_transpose", "strides=[2, 2], output_size=[21, 17]", weights="4,3,2,2"),
            "its windows leave out [3, 1] rows and columns; the device adds 0 to 1",
        ),
        (
            text(slots=", ResidualData=%x", weights="4,4,1,1"),
            "input ResidualData is given; the device's operator has no such input",
        ),
    ],
)
def test_convolutions_beyond_the_limits_are_declined(source: str, sentence: str) -> None:
    assert SIM_NPU.why_not(source) == sentence


@pytest.mark.parametrize("slot", ["Filter", "Bias"])
def test_a_computed_filter_or_bias_is_declined(slot: str) -> None:
    slots = {"Filter": "%w", "Bias": "%b"}
    slots[slot] = "%computed"
    shape = "2,3,1,1" if slot == "Filter" else "2"
    source = f"""graph main(%x: float32[1,3,4,4], %computed: float32[{shape}]) {{
        %w = const float32[2,3,1,1] random(1) %b = const float32[2] random(2)
        Output=%y = conv2d(Input=%x, Filter={slots["Filter"]}, Bias={slots["Bias"]}) return %y }}"""

    assert (
        SIM_NPU.why_not(source)
        == f"{slot} is computed at run time; the device keeps it in its weight memory, as a constant"
    )


@pytest.mark.parametrize("image", ["?,4,?,?", "n,4,h,w", "1,4,9,w"])
@pytest.mark.parametrize("attributes", ["", 'padding_algorithm="SAME"'])
@pytest.mark.parametrize("op", ["conv2d", "conv2d_transpose"])
def test_unknown_sizes_are_accepted(op: str, attributes: str, image: str) -> None:
    assert SIM_NPU.why_not(text(op, attributes, image, weights="4,4,3,3")) is None


def test_an_image_of_unknown_rank_is_accepted_within_the_limits() -> None:
    unknown = text().replace("float32[1,4,9,8]", "float32[*]")
    assert SIM_NPU.why_not(unknown) is None
    assert SIM_NPU.why_not(unknown.replace("3,3]", "3,9]")) == "the kernel is 3x9; the device takes up to 8x8"
