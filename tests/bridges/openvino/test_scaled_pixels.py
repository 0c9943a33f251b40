"""Convolutions of products by a constant of the filter's sizes, which OpenVINO moves into the filter."""

from __future__ import annotations

import numpy as np
import pytest

from tests.bridges.devices import OPENVINO


@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize("op", ["conv2d", "conv2d_transpose"])
def test_a_product_by_the_filters_sizes_equals_the_host(op: str, padding: int) -> None:
    text = f"""
    graph main(%x: float32[2,4,1,1]) {{
      %a = const float32[2,4,1,2] random(1)
      %b = const float32[2] [0.5, 2.0]
      %f = const float32[4,4,1,2] random(2)
      %q = elementwise_div(X=%a, Y=%x) {{axis=-1}}
      %p = elementwise_mul(X=%q, Y=%b) {{axis=-1}}
      Output=%y = {op}(Input=%p, Filter=%f) {{paddings=[0, {padding}]}}
      return %y
    }}
    """
    OPENVINO.check(text, np.random.default_rng(0).uniform(0.5, 2, (2, 4, 1, 1)).astype(np.float32))
