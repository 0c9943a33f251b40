"""The sentences of declined ops."""

from __future__ import annotations

import pytest

from tests.bridges.region import reasons
from tests.bridges.tpu.conversion import TPU
from tests.bridges.tpu.test_ops import unary


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (unary("relu", (0, 3)), "X is float32[0,3]: the host runs ops on empty tensors"),
        (unary("relu", ()), "X is float32[]: expected 1 to 6 axes"),
        (unary("relu", (3,)).replace("float32", "float64"), "X is float64[3]: expected float32"),
        (unary("relu", (3,)).replace("[3]", "[*]"), "X is float32[*]: its rank is not known"),
        (unary("pow", (3,), "factor=1.7"), "the exponent is 1.7, expected 2, 3, 0.5, -0.5 or -1"),
        (
            (
                "graph main(%x: float32[1,1,64,64]) { %w = const float32[1,1,2,2] [1.0, 2.0, 3.0, 4.0]\n"
                "Output=%y = conv2d(Input=%x, Filter=%w) {strides=[16, 16]} return %y }"
            ),
            "strides are [16, 16]; the chip takes at most 15",
        ),
        (
            (
                "graph main(%x: float32[3], %e: float32[1]) "
                "{ Out=%y = elementwise_pow(X=%x, Y=%e) {} return %y }"
            ),
            "Y is float32[1]; the device takes one constant number",
        ),
        (
            (
                "graph main(%x: float32[3]) { %e = const float32[1,1] [2.0]\n"
                "Out=%y = elementwise_pow(X=%x, Y=%e) {} return %y }"
            ),
            "X is float32[3] and Y is float32[1,1]; the device takes no further axes",
        ),
        (
            unary("relu6", (3,), "threshold=-1.0"),
            "its bounds are 0.0 and -1.0, the device takes them in order",
        ),
        (
            unary("pool2d", (1, 1, 4, 4), 'pooling_type="max", ksize=[2, 2], adaptive=true'),
            "it is an adaptive maximum, whose windows differ in size",
        ),
        (
            unary("pool2d", (1, 1, 4, 4), "ksize=[2, 2], paddings=[2, 2]"),
            "a window of 2 lies outside of the image of 4",
        ),
        (
            unary("pad_nd", (3,), 'paddings=[1, 1], axes=[0], mode="reflect"'),
            "mode is 'reflect', expected 'constant'",
        ),
        (
            (
                "graph main(%x: float32[1,1,4,4], %w: float32[1,1,2,2]) "
                "{ Output=%y = conv2d(Input=%x, Filter=%w) {} return %y }"
            ),
            "Filter is computed; the device takes a constant",
        ),
        (
            (
                "graph main(%x: float32[2,3], %y: float32[4,3,2]) "
                "{ Out=%z = matmul_v2(X=%x, Y=%y) {} return %z }"
            ),
            ("X is float32[2,3] and Y is float32[4,3,2]; the device takes equal batches, or a matrix Y"),
        ),
    ],
)
def test_the_sentence_names_the_limit(text: str, why: str) -> None:
    assert reasons(TPU, text) == [why]
