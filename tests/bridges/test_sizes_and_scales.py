"""*_interp_v2 with sizes and a scale: OutSize gives the sizes, and the scale places the pixels."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bridges.arrays import floats
from tests.bridges.devices import ONNXRUNTIME, OPENVINO, DeviceUnderTest

METHODS = ("nearest", "bilinear", "bicubic")
DEVICES: dict[str, DeviceUnderTest[Any, Any]] = {"openvino": OPENVINO, "onnxruntime": ONNXRUNTIME}


def resize(method: str, sizes: str, scale: str, corners: bool) -> str:
    return f"""graph main(%x: float32[1,2,4,6]) {{
      %o = const int32[2] [5, 9]
      %a = const int32[1] [5]
      %b = const int32[1] [9]
      %y = {method}_interp_v2(X=%x, {sizes}) {{scale={scale}, align_corners={str(corners).lower()}}}
      return %y }}"""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", DEVICES)
def test_a_scale_beside_sizes_is_declined(name: str, method: str) -> None:
    why = DEVICES[name].reasons(resize(method, "OutSize=%o", "[2.0, 3.0]", corners=False))

    assert (why[0] or "").startswith("sizes and scale are both given")


@pytest.mark.parametrize(
    ("sizes", "scale", "corners"),
    [
        ("OutSize=%o", "[1.25, 1.5]", False),
        ("OutSize=%o", "[]", False),
        ("OutSize=%o", "[2.0, 3.0]", True),
        ("SizeTensor=[%a, %b]", "[2.0, 3.0]", False),
    ],
)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", DEVICES)
def test_other_sizes_equal_the_host(name: str, method: str, sizes: str, scale: str, corners: bool) -> None:
    DEVICES[name].check(resize(method, sizes, scale, corners), floats(1, 2, 4, 6))
