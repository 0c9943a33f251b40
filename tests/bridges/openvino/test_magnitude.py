"""Magnitudes of a vector that concat joins, which OpenVINO's Abs would change for other readers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.bridges.arrays import floats
from tests.bridges.devices import OPENVINO
from tests.bridges.region import on_host, region

TEXT = """graph main(%a: float32[{size}], %b: float32[2]) {{
    %x = concat(X=[%a, %b]) {{axis=0}}
    %m = {op}
    %y = exp(X=%x)
    return %m, %y }}"""


@pytest.mark.parametrize("size", ["3", "n"])
@pytest.mark.parametrize("op", ["abs(X=%x)", "trunc(X=%x)", "p_norm(X=%x) {porder=1.0, axis=0}"])
def test_other_readers_of_a_concat(op: str, size: str) -> None:
    text = TEXT.format(size=size, op=op)
    assert OPENVINO.reasons(text) == [None] * len(region(text))
    inputs = [-2 * np.abs(floats(3)), floats(2)]

    results, expected = OPENVINO.compile(text).run(inputs, [None, None]), on_host(text, inputs)

    for result, right in zip(results, expected, strict=True):
        np.testing.assert_allclose(result, right, rtol=1e-5, atol=1e-6)
