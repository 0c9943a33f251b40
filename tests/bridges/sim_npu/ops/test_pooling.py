"""Poolings on the simulated NPU."""

from __future__ import annotations

import pytest

from tests.bridges.arrays import floats
from tests.bridges.devices import SIM_NPU
from tests.bridges.sim_npu.nodes import nodes_of


def text(attributes: str, image: str = "2,3,9,8") -> str:
    return f"graph main(%x: float32[{image}]) {{ %y = pool2d(X=%x) {{{attributes}}} return %y }}"


@pytest.mark.parametrize("kind", ["max", "avg"])
@pytest.mark.parametrize(
    "attributes",
    [
        "ksize=[2, 2], strides=[2, 2]",
        "ksize=[3, 2], strides=[1, 1], paddings=[1, 0]",
        "ksize=[3, 3], strides=[2, 2], paddings=[0, 1, 2, 1]",
        "ksize=[2, 3], strides=[2, 2], ceil_mode=true",
        "ksize=[3, 3], strides=[2, 2], paddings=[1, 1], ceil_mode=true",
        'ksize=[3, 3], strides=[2, 2], padding_algorithm="SAME"',
        'ksize=[3, 3], strides=[3, 3], padding_algorithm="VALID", paddings=[1, 1]',
    ],
)
def test_pooling_by_windows_equals_the_host(kind: str, attributes: str) -> None:
    source = text(f'{attributes}, pooling_type="{kind}"')

    SIM_NPU.check(source, floats(2, 3, 9, 8) - 2)
    assert nodes_of(source) == {"POOL_2D": 1}


@pytest.mark.parametrize(
    "attributes",
    [
        "ksize=[3, 3], strides=[1, 1], paddings=[1, 1]",
        "ksize=[3, 3], strides=[2, 2], paddings=[2, 1, 1, 0]",
        "ksize=[3, 2], strides=[3, 3]",
    ],
)
def test_averages_that_include_the_padding_equal_the_host(attributes: str) -> None:
    SIM_NPU.check(text(f'{attributes}, pooling_type="avg", exclusive=false'), floats(2, 3, 9, 8))


@pytest.mark.parametrize(
    ("attributes", "image", "kind"),
    [
        ('pooling_type="avg", global_pooling=true', (2, 3, 20, 30), "REDUCE_MEAN"),
        ('pooling_type="avg", adaptive=true, ksize=[1, 1]', (2, 3, 20, 30), "REDUCE_MEAN"),
        ('pooling_type="avg", adaptive=true, ksize=[3, 2]', (2, 3, 9, 6), "POOL_2D"),
        ('pooling_type="max", global_pooling=true', (2, 3, 8, 7), "POOL_2D"),
    ],
)
def test_global_and_adaptive_poolings_equal_the_host(
    attributes: str, image: tuple[int, ...], kind: str
) -> None:
    source = text(attributes, ",".join(str(size) for size in image))

    SIM_NPU.check(source, floats(*image))
    assert nodes_of(source) == {kind: 1}


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (text("ksize=[9, 9]", "1,1,20,20"), "the kernel is 9x9; the device takes up to 8x8"),
        (
            text("ksize=[3, 3], strides=[2, 1]"),
            "strides are 2x1; the device has one register for both, so they must be equal",
        ),
        (
            text('pooling_type="max", global_pooling=true', "1,1,9,2"),
            "the kernel is 9x2; the device takes up to 8x8",
        ),
        (
            text('pooling_type="avg", adaptive=true, ksize=[4, 4]', "1,1,9,8"),
            "9x8 pixels do not divide into 4x4 equal windows",
        ),
        (
            text('pooling_type="avg", adaptive=true, ksize=[2, 2]', "1,1,4,8"),
            "strides are 2x4; the device has one register for both, so they must be equal",
        ),
        (
            text('pooling_type="max", adaptive=true, ksize=[2, 2]', "1,1,4,4"),
            "it is an adaptive maximum; the device has windows only",
        ),
        (
            text("ksize=[2, 2], paddings=[2, 2]"),
            "the paddings reach beyond the kernel of 2x2; the device takes smaller ones",
        ),
        (
            text('pooling_type="avg", exclusive=false, ksize=[2, 2], strides=[2, 2], ceil_mode=true'),
            "its last windows end at the edge of the padding; averages on the device count whole windows",
        ),
        (
            text('pooling_type="avg", global_pooling=true, adaptive=true', "1,1,4,4"),
            "it is global and adaptive at once, which Paddle reads as bins of one pixel",
        ),
        (text('data_format="NHWC"'), "images are NHWC; the device takes NCHW"),
    ],
)
def test_poolings_beyond_the_limits_are_declined(source: str, sentence: str) -> None:
    assert SIM_NPU.why_not(source) == sentence


@pytest.mark.parametrize(
    "attributes",
    [
        "ksize=[3, 3], strides=[2, 2]",
        'pooling_type="max", global_pooling=true',
        'pooling_type="avg", adaptive=true, ksize=[3, 2]',
    ],
)
def test_unknown_sizes_are_accepted(attributes: str) -> None:
    assert SIM_NPU.why_not(text(attributes, "n,3,h,w")) is None
    assert SIM_NPU.why_not(text(attributes).replace("float32[2,3,9,8]", "float32[*]")) is None
