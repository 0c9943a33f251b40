"""Linear resizing to one row or column, which lies on the first of the input, or in the middle."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bridges.arrays import floats
from tests.bridges.devices import LITERT, ONNXRUNTIME, OPENVINO, SIM_NPU, XLA, DeviceUnderTest

DEVICES = [LITERT, ONNXRUNTIME, OPENVINO, XLA]

TEXT = """\
graph main(%x: float32[1,3,6,5]) {
  %y = bilinear_interp_v2(X=%x)
    {out_h=1, out_w=COLUMNS, align_corners=false, align_mode=MODE, ratio_for_one=ONE}
  return %y
}
"""


@pytest.mark.parametrize(
    "device", [LITERT, ONNXRUNTIME, OPENVINO, XLA], ids=lambda device: device.device.__name__
)
@pytest.mark.parametrize("columns", [1, 7])
@pytest.mark.parametrize("mode", [0, 1])
@pytest.mark.parametrize("one", ["true", "false"])
def test_one_row(device: DeviceUnderTest[Any, Any], columns: int, mode: int, one: str) -> None:
    text = TEXT.replace("COLUMNS", str(columns)).replace("MODE", str(mode)).replace("ONE", one)
    device.check(text, floats(1, 3, 6, 5))


def test_sim_npu_declines_the_middle() -> None:
    text = TEXT.replace("COLUMNS", "7").replace("MODE", "0").replace("ONE", "true")
    assert SIM_NPU.reasons(text) == [
        "ratio_for_one is set; the device takes the first pixel where the result has one"
    ]
