"""Convolutions of volumes with channels last, on the host and between transposes."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.program import AttrValue
from tests.kernels.host.checked import checked, numbers
from tests.lite.passes.check import check

PASS = "canonicalize_pass"


@pytest.mark.parametrize("op", ["conv3d", "conv3d_transpose"])
def test_host_kernels_take_channels_last(op: str) -> None:
    x, weight = numbers(2, 4, 5, 4, 3), numbers(3, 3, 2, 2, 2)
    attrs: dict[str, AttrValue] = {"strides": [2, 1, 1]}

    (last,) = checked(op, {"Input": x, "Filter": weight}, {**attrs, "data_format": "NDHWC"})

    (first,) = checked(op, {"Input": np.ascontiguousarray(np.moveaxis(x, -1, 1)), "Filter": weight}, attrs)
    np.testing.assert_allclose(last, np.moveaxis(first, 1, -1), rtol=1e-5, atol=1e-6)


def test_a_convolution_with_channels_last_is_transposed() -> None:
    attrs = (
        "strides=[1, 1, 1], paddings=[0, 0, 0], padding_algorithm='EXPLICIT', dilations=[1, 1, 1], groups=1, "
    )
    check(
        PASS,
        f"""
        graph main(%x: float32[1,3,4,5,2], %w: float32[8,2,1,1,1]) {{
          Output=%y = conv3d(Input=%x, Filter=%w) {{{attrs}data_format='NDHWC'}} : float32[1,3,4,5,8]
          return %y
        }}
        """.replace("'", '"'),
        f"""
        graph main(%x: float32[1,3,4,5,2], %w: float32[8,2,1,1,1]) {{
          %x_moved = transpose2(X=%x) {{axis=[0, 4, 1, 2, 3]}} : float32[1,2,3,4,5]
          Output=%y_moved = conv3d(Input=%x_moved, Filter=%w)
            {{{attrs}data_format='NCDHW', activation='', activation_params=[]}} : float32[1,8,3,4,5]
          %y = transpose2(X=%y_moved) {{axis=[0, 2, 3, 4, 1]}} : float32[1,3,4,5,8]
          return %y
        }}
        """.replace("'", '"'),
    )
