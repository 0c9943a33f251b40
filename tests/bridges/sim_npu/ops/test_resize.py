from __future__ import annotations

import pytest

from tests.bridges.region import check
from tests.bridges.sim_npu.opened import nodes_of, opened, reason
from tests.bridges.sim_npu.sdk.program_run import floats


def text(op: str, attributes: str, image: str = "1,2,4,5") -> str:
    return f"graph main(%x: float32[{image}]) {{ %y = {op}_interp_v2(X=%x) {{{attributes}}} return %y }}"


@pytest.mark.parametrize(
    "mode", ["align_corners=true", "align_corners=false, align_mode=0", "align_corners=false"]
)
@pytest.mark.parametrize("size", ["out_h=7, out_w=3", "out_h=1, out_w=1", "scale=[2.0]", "scale=[2.0, 3.0]"])
@pytest.mark.parametrize("op", ["nearest", "bilinear"])
def test_resize(op: str, size: str, mode: str) -> None:
    check(opened(), text(op, f"{size}, {mode}"), floats(1, 2, 4, 5))
    assert nodes_of(text(op, f"{size}, {mode}")) == {"RESIZE": 1}


ROUNDED = "scale=[1.3], align_corners=false"


def test_a_scale_that_is_not_the_ratio_of_the_sizes_is_declined() -> None:
    assert reason(text("nearest", ROUNDED)) == (
        "its scale 1.3 makes 5 of 4; the device steps by the ratio of the sizes"
    )


def test_it_does_not_matter_where_corners_or_sizes_count() -> None:
    for attributes in (f"{ROUNDED}, ratio_from_sizes=true", "scale=[1.3], align_corners=true"):
        check(opened(), text("bilinear", attributes), floats(1, 2, 4, 5))


def test_sizes_that_are_not_known_yet_are_accepted() -> None:
    assert reason(text("nearest", ROUNDED, "n,2,h,w")) is None
    assert reason(text("nearest", ROUNDED).replace("float32[1,2,4,5]", "float32[*]")) is None


def test_other_layouts_are_declined() -> None:
    given = text("nearest", 'out_h=7, out_w=3, data_layout="NHWC"')
    assert reason(given) == "images are NHWC; the device's are NCHW"
