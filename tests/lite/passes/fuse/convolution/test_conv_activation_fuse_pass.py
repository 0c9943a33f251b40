"""An activation behind a convolution."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "conv_activation_fuse_pass"


def test_attributes() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,1,4,4]) {
          %w = const float32[2,1,1,1] [1.5, -2.0]
          Output=%c = conv2d(Input=%x, Filter=%w) {strides=[1, 1]} : float32[1,2,4,4]
          %y = leaky_relu(X=%c) {alpha=0.1} : float32[1,2,4,4]
          %z = relu(X=%y) : float32[1,2,4,4]
          return out=%z
        }
        """,
        """
        graph main(%x: float32[1,1,4,4]) {
          %w = const float32[2,1,1,1] [1.5, -2.0]
          Output=%y = conv2d(Input=%x, Filter=%w) {PARAMS} : float32[1,2,4,4]
          %z = relu(X=%y) : float32[1,2,4,4]
          return out=%z
        }
        """.replace("PARAMS", 'strides=[1, 1], activation="leaky_relu", activation_params=[0.1]'),
    )


@pytest.mark.parametrize(
    "activation",
    [
        "relu(X=%c)",
        "relu6(X=%c) {threshold=1.0}",
        "leaky_relu(X=%c) {alpha=0.3}",
        "hard_swish(X=%c) {threshold=5.0, scale=4.0, offset=2.0}",
        "hard_sigmoid(X=%c) {slope=0.1, offset=0.4}",
        "sigmoid(X=%c)",
        "tanh(X=%c)",
        "swish(X=%c) {beta=0.7}",
    ],
)
@pytest.mark.parametrize("op", ["conv2d", "depthwise_conv2d", "conv2d_transpose"])
def test_every_activation(activation: str, op: str) -> None:
    shape = {"conv2d": "4,3,3,3", "depthwise_conv2d": "3,1,3,3", "conv2d_transpose": "3,4,3,3"}[op]
    check_fused(
        PASS,
        f"""
        graph main(%x: float32[?,3,5,5]) {{
          %w = const float32[{shape}] random(1)
          Output=%c = {op}(Input=%x, Filter=%w) {{groups={3 if op == "depthwise_conv2d" else 1}}} : float32[*]
          %y = {activation} : float32[*]
          return %y
        }}
        """,
        [op],
    )


@pytest.mark.parametrize(
    ("conv", "body"),
    [
        ("", "%y = relu(X=%c) : float32[1,2,4,4]\nreturn %y, %c"),
        ("", "%y = relu(X=%c) : float32[1,2,4,4]\n%z = tanh(X=%c)\nreturn %y, %z"),
        ("", "%y = gelu(X=%c) : float32[1,2,4,4]\nreturn %y"),
        ("", "%y = relu(X=%c) : float32[1,2,4,4] quant([0.5], [0], -1, int8)\nreturn %y"),
        ('{activation="tanh"}', "%y = relu(X=%c) : float32[1,2,4,4]\nreturn %y"),
        ("{fuse_relu=true}", "%y = relu(X=%c) : float32[1,2,4,4]\nreturn %y"),
        ('{fuse_activation="tanh"}', "%y = relu(X=%c) : float32[1,2,4,4]\nreturn %y"),
    ],
)
def test_stays(conv: str, body: str) -> None:
    check_unchanged(
        PASS,
        f"""
        graph main(%x: float32[1,1,4,4]) {{
          %w = const float32[2,1,1,1] [1.5, -2.0]
          Output=%c = conv2d(Input=%x, Filter=%w) {conv} : float32[1,2,4,4]
          {body}
        }}
        """,
    )


def test_a_filter_that_is_not_constant_stays() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%x: float32[1,1,4,4], %w: float32[2,1,1,1]) {
          Output=%c = conv2d(Input=%x, Filter=%w) : float32[1,2,4,4]
          %y = relu(X=%c) : float32[1,2,4,4]
          return %y
        }
        """,
    )
