"""What RKNN-Toolkit2 takes, and the limits of ops."""

from __future__ import annotations

import pytest

from lite.bridges.rknn.device import Options, Rknn
from lite.plugin.device import Settings
from tests.bridges.region import reasons

RKNN = Rknn(Options(), Settings())


def unary(op: str, x: str, attributes: str = "", slot: str = "X") -> str:
    return f"graph main(%x: {x}) {{ Out=%y = {op}({slot}=%x) {{{attributes}}} return %y }}"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (unary("relu", "float32[2,3]"), None),
        (unary("gelu", "float32[2,3]"), None),
        (unary("gelu", "float32[2,3]", "approximate=true"), None),
        (unary("bilinear_interp_v2", "float32[1,2,4,3]", "scale=[2.0, 2.0], align_corners=false"), None),
        (unary("nearest_interp_v2", "float32[1,2,4,3]", "scale=[2.0, 2.0], align_corners=false"), None),
        (
            (
                "graph main(%x: float32[1,2,3,3]) { %s = const float32[2] [1.0, 2.0]\n"
                "Y=%y = batch_norm(X=%x, Scale=%s, Bias=%s, Mean=%s, Variance=%s) {is_test=true} return %y }"
            ),
            None,
        ),
        (unary("relu", "int32[2]"), "X is int32[2]; expected float32"),
        (unary("relu", "float32[]"), "X is float32[]; expected at least 1 dimensions"),
        (unary("relu", "float32[0,2]"), "X is float32[0,2], which is empty; expected at least one element"),
        (
            "graph main(%x: float32[3], %y: float32[2,3]) { %z = elementwise_pow(X=%x, Y=%y) {} return %z }",
            "X is float32[3] and Y is float32[2,3]; RKNN-Toolkit2 2.5.0 builds no such Pow",
        ),
        (
            "graph main(%x: float32[2,3], %y: float32[3]) { %z = elementwise_pow(X=%x, Y=%y) {} return %z }",
            None,
        ),
        (unary("pad_nd", "float32[2,3]", "paddings=[1, 2], axes=[-1]"), None),
        (
            (
                "graph main(%q: float32[1,2,3,4]) { %k = const float32[1,2,5,4] random(1) "
                "Out=%y = attention(Q=%q, K=%k, V=%k) {} return %y }"
            ),
            "K and V are constants; RKNN-Toolkit2 2.5.0 builds no such attention",
        ),
        (unary("atan", "float32[2]"), "RKNN has no Atan that is exact enough"),
        (unary("slice", "float32[2]", "axes=[]", slot="Input"), "an input of Slice has no elements"),
        (
            (
                "graph main(%x: float32[1,1,4,4], %w: float32[1,1,2,2]) "
                "{ Output=%y = conv2d(Input=%x, Filter=%w) {} return %y }"
            ),
            "input 1 of Conv must be constant for RKNN",
        ),
    ],
)
def test_the_sentence_names_the_limit(text: str, why: str | None) -> None:
    assert reasons(RKNN, text) == [why]


@pytest.mark.parametrize(
    ("device", "reason"),
    [
        (Rknn(Options(chip="rk1808"), Settings()), "chip: expected one of rk3588, rk3576, got 'rk1808'"),
        (
            Rknn(Options(), Settings(precision="strict")),
            "the chip computes in float16, and the precision is strict",
        ),
        (RKNN, "rknn-toolkit2 is not in its environment: litebridge devices install rknn --again"),
    ],
)
def test_an_unusable_device_says_why(device: Rknn, reason: str) -> None:
    assert device.available() == reason
