"""Resizing on the simulated NPU."""

from __future__ import annotations

import pytest

from tests.bridges.arrays import floats
from tests.bridges.devices import SIM_NPU
from tests.bridges.sim_npu.nodes import nodes_of


def text(op: str, attributes: str, image: str = "1,2,4,5") -> str:
    return f"graph main(%x: float32[{image}]) {{ %y = {op}_interp_v2(X=%x) {{{attributes}}} return %y }}"


@pytest.mark.parametrize(
    "mode", ["align_corners=true", "align_corners=false, align_mode=0", "align_corners=false"]
)
@pytest.mark.parametrize("size", ["out_h=7, out_w=3", "out_h=1, out_w=1", "scale=[2.0]", "scale=[2.0, 3.0]"])
@pytest.mark.parametrize("op", ["nearest", "bilinear"])
def test_resize_equals_the_host(op: str, size: str, mode: str) -> None:
    SIM_NPU.check(text(op, f"{size}, {mode}"), floats(1, 2, 4, 5))
    assert nodes_of(text(op, f"{size}, {mode}")) == {"RESIZE": 1}


ROUNDED = "scale=[1.3], align_corners=false"


def test_a_scale_that_is_not_the_ratio_of_the_sizes_is_declined() -> None:
    assert SIM_NPU.why_not(text("nearest", ROUNDED)) == (
        "its scale 1.3 makes 5 of 4; the device steps by the ratio of the sizes"
    )


def test_a_rounded_scale_is_accepted_where_the_sizes_decide() -> None:
    for attributes in (f"{ROUNDED}, ratio_from_sizes=true", "scale=[1.3], align_corners=true"):
        SIM_NPU.check(text("bilinear", attributes), floats(1, 2, 4, 5))


def test_unknown_sizes_are_accepted() -> None:
    assert SIM_NPU.why_not(text("nearest", ROUNDED, "n,2,h,w")) is None
    assert SIM_NPU.why_not(text("nearest", ROUNDED).replace("float32[1,2,4,5]", "float32[*]")) is None


def test_other_layouts_are_declined() -> None:
    source = text("nearest", 'out_h=7, out_w=3, data_layout="NHWC"')
    assert SIM_NPU.why_not(source) == "images are NHWC; the device takes NCHW"
