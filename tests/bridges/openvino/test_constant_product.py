"""Products by one constant in both orders, which OpenVINO computes wrongly in one kernel."""

from __future__ import annotations

import numpy as np
import pytest

from tests.bridges.arrays import floats
from tests.bridges.devices import OPENVINO
from tests.bridges.region import on_host, region

CHAIN = """graph main(%x: float32[{rows},3], %b: float32[5,1]) {{
    %w = const float32[3,3] [-1,-2,0,-1,2,-2,-1,1,-2]
    %p = matmul_v2(X=%x, Y=%w) {{trans_y={first}}}
    %s = elementwise_add(X=%p, Y=%b)
    %q = matmul_v2(X=%s, Y=%w) {{trans_y={second}}}
    %y = matmul_v2(X=%q, Y=%w) {{trans_y={first}}}
    return %y }}"""


@pytest.mark.parametrize("rows", ["5", "n"])
@pytest.mark.parametrize("first", ["true", "false"])
@pytest.mark.parametrize("second", ["true", "false"])
def test_both_orders_of_a_constant(rows: str, first: str, second: str) -> None:
    text = CHAIN.format(rows=rows, first=first, second=second)
    assert OPENVINO.reasons(text) == [None] * len(region(text))
    inputs = [floats(5, 3), floats(5, 1) + np.float32(0.5)]

    (result,), (expected,) = OPENVINO.compile(text).run(inputs, [None]), on_host(text, inputs)

    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)
