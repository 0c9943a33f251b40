"""Factors after a convolution's activation move before it."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_changed

PASS = "conv_activation_scale_fold_pass"


def test_a_factor_moves_through_relu_into_the_filter() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,1,4,4]) {
          %w = const float32[2,1,1,1] [1.5, -2.0]
          %b = const float32[2] [1.0, 2.0]
          %s = const float32[2] [2.0, 3.0]
          %t = const float32[1] [0.5]
          Output=%y = conv2d(Input=%x, Filter=%w, Bias=%b, PostScale=%s, PostShift=%t) {BEFORE
          return %y
        }
        """.replace("BEFORE", 'activation="relu"} : float32[1,2,4,4]'),
        """
        graph main(%x: float32[1,1,4,4]) {
          %t = const float32[1] [0.5]
          %w_1 = const float32[2,1,1,1] [3.0, -6.0]
          %w_bias = const float32[2] [2.0, 6.0]
          Output=%y = conv2d(Input=%x, Filter=%w_1, Bias=%w_bias, PostShift=%t) {AFTER
          return %y
        }
        """.replace("AFTER", 'activation="relu", activation_params=[]} : float32[1,2,4,4]'),
    )


def test_a_factor_moves_through_hard_swish_into_a_copy_of_a_shared_filter() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[1,1,4,4]) {
          %w = const float32[2,1,1,1] [1.5, -2.0]
          Output=%y = conv2d(Input=%x, Filter=%w) {BEFORE} : float32[1,2,4,4]
          Output=%z = conv2d(Input=%x, Filter=%w) : float32[1,2,4,4]
          return %y, %z
        }
        """.replace("BEFORE", 'activation="hard_swish", activation_params=[6.0, 4.0, 3.0]'),
        """
        graph main(%x: float32[1,1,4,4]) {
          %w = const float32[2,1,1,1] [1.5, -2.0]
          %w_1 = const float32[2,1,1,1] [0.75, -1.0]
          Output=%y = conv2d(Input=%x, Filter=%w_1) {AFTER} : float32[1,2,4,4]
          Output=%z = conv2d(Input=%x, Filter=%w) : float32[1,2,4,4]
          return %y, %z
        }
        """.replace("AFTER", 'activation="hard_swish", activation_params=[3.0, 1.0, 1.5]'),
    )


ONE, CHANNELS = "[1] [0.3]", "[4] [0.5, 1.0, 1.5, 3.0]"


@pytest.mark.parametrize(
    ("scale", "activation"),
    [
        (ONE, '"relu"'),
        (CHANNELS, '"relu"'),
        (CHANNELS, '"leaky_relu", activation_params=[0.3]'),
        (ONE, '"relu6"'),
        (ONE, '"relu6", activation_params=[0.5]'),
        (ONE, '"hard_swish"'),
        (ONE, '"hard_swish", activation_params=[0.5]'),
        (ONE, '"hard_swish", activation_params=[5.0, 0.3, 2.0]'),
    ],
)
@pytest.mark.parametrize(("op", "shape"), [("conv2d", "4,3,3,3"), ("conv2d_transpose", "3,4,3,3")])
def test_folded_graph_computes_the_same(scale: str, activation: str, op: str, shape: str) -> None:
    graph = check_changed(
        PASS,
        f"""
        graph main(%x: float32[?,3,5,5]) {{
          %w = const float32[{shape}] random(1)
          %b = const float32[4] random(2)
          %s = const float32{scale}
          %t = const float32[4] random(3)
          Output=%y = {op}(Input=%x, Filter=%w, Bias=%b, PostScale=%s, PostShift=%t) {{ATTRS
          return %y
        }}
        """.replace("ATTRS", f"activation={activation}}} : float32[?,4,?,?]"),
    )

    [node] = graph
    assert sorted(node.inputs) == ["Bias", "Filter", "Input", "PostShift"]


@pytest.mark.parametrize(
    ("inputs", "activation"),
    [
        ("", "relu"),
        (", PostScale=%s", "sigmoid"),
        (", PostScale=%s", ""),
        (", PostScale=%minus", "relu"),
        (", PostScale=%minus", "hard_swish"),
        (", PostScale=%channels", "relu6"),
        (", PostScale=%channels", "hard_swish"),
        (", PostScale=%s, ResidualData=%r", "relu"),
        (", PostScale=%s, Bias=%given", "relu"),
    ],
)
def test_other_graphs_are_not_folded(inputs: str, activation: str) -> None:
    check_unchanged(
        PASS,
        f"""
        graph main(%x: float32[1,1,4,4], %r: float32[1,2,4,4], %given: float32[2]) {{
          %w = const float32[2,1,1,1] [1.5, -2.0]
          %s = const float32[1] [2.0]
          %minus = const float32[1] [-2.0]
          %channels = const float32[2] [2.0, 3.0]
          %held = no_such_op(X=[%s, %minus, %channels])
          Output=%y = conv2d(Input=%x, Filter=%w{inputs}) {{activation="{activation}"}} : float32[1,2,4,4]
          return %y, %held
        }}
        """,
    )


def test_half_precision_is_not_folded() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%x: float16[1,1,4,4]) {
          %w = const float16[2,1,1,1] [1.5, -2.0]
          Output=%y = conv2d(Input=%x, Filter=%w) {activation="hard_swish"} : float16[1,2,4,4]
          return %y
        }
        """,
    )


def test_quantised_convolutions_are_not_folded() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%x: float32[1,1,4,4]) {
          %w = const float32[2,1,1,1] [1.5, -2.0]
          Output=%y = conv2d(Input=%x, Filter=%w) {activation="hard_swish"} : float32[1,2,4,4] QUANT
          return %y
        }
        """.replace("QUANT", "quant([0.5], [0], -1, int8)"),
    )
