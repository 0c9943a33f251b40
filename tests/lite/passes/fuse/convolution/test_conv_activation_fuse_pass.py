"""An activation after a convolution is fused."""

from __future__ import annotations

import pytest

from lite.ir.text import parse_graph
from lite.ir.types import Place
from lite.passes.base import PassContext
from tests.lite.passes.check import check, check_unchanged, run_pass
from tests.lite.passes.fuse.activations import ACTIVATIONS
from tests.lite.passes.fuse.equal import check_fused

PASS = "conv_activation_fuse_pass"


def test_attributes_of_the_activation_move_to_the_convolution() -> None:
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


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(
    ("op", "shape", "groups"),
    [("conv2d", "4,3,3,3", 1), ("conv2d", "3,1,3,3", 3), ("conv2d_transpose", "3,4,3,3", 1)],
)
def test_every_activation_is_fused(activation: str, op: str, shape: str, groups: int) -> None:
    check_fused(
        PASS,
        f"""
        graph main(%x: float32[?,3,5,5]) {{
          %w = const float32[{shape}] random(1)
          Output=%c = {op}(Input=%x, Filter=%w) {{groups={groups}}} : float32[*]
          %y = {activation.replace("%x", "%c")} : float32[*]
          return %y
        }}
        """,
        [op],
    )


VOLUME = """
    graph main(%x: float32[1,1,2,4,4]) {
      %w = const float32[2,1,1,1,1] [1.5, -2.0]
      Output=%c = conv3d(Input=%x, Filter=%w) : float32[1,2,2,4,4]
      %y = ACTIVATION(X=%c) : float32[1,2,2,4,4]
      return %y
    }
    """


@pytest.mark.parametrize(
    ("activation", "attrs"),
    [
        ("relu", 'activation="relu", activation_params=[]'),
        ("relu6", 'activation="relu6", activation_params=[6.0]'),
    ],
)
def test_conv3d_takes_an_activation_that_limits_numbers(activation: str, attrs: str) -> None:
    check(
        PASS,
        VOLUME.replace("ACTIVATION", activation),
        """
        graph main(%x: float32[1,1,2,4,4]) {
          %w = const float32[2,1,1,1,1] [1.5, -2.0]
          Output=%y = conv3d(Input=%x, Filter=%w) {ATTRS} : float32[1,2,2,4,4]
          return %y
        }
        """.replace("ATTRS", attrs),
    )


@pytest.mark.parametrize("activation", ["swish", "leaky_relu", "hard_swish"])
def test_conv3d_takes_no_other_activation(activation: str) -> None:
    check_unchanged(PASS, VOLUME.replace("ACTIVATION", activation))


def test_conv3d_with_a_computed_filter_takes_none() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%x: float32[1,1,2,4,4], %w: float32[2,1,1,1,1]) {
          Output=%c = conv3d(Input=%x, Filter=%w) : float32[1,2,2,4,4]
          %y = relu(X=%c) : float32[1,2,2,4,4]
          return %y
        }
        """,
    )


def test_an_activation_that_a_kernel_of_the_targets_lacks_is_not_fused() -> None:
    text = """
        graph main(%x: float32[1,1,4,4]) {
          %w = const float32[2,1,1,1] [1.5, -2.0]
          Output=%c = conv2d(Input=%x, Filter=%w) : float32[1,2,4,4]
          %y = OP(X=%c) : float32[1,2,4,4]
          return %y
        }
        """
    for op, ops in (("softsign", ["conv2d", "softsign"]), ("gelu", ["conv2d"])):
        graph = parse_graph(text.replace("OP", op))
        run_pass(PASS, graph, PassContext(valid_places=(Place("cpu"), Place("host"))))
        assert [node.op for node in graph] == ops


@pytest.mark.parametrize(
    ("conv", "body"),
    [
        ("", "%y = relu(X=%c) : float32[1,2,4,4]\nreturn %y, %c"),
        ("", "%y = relu(X=%c) : float32[1,2,4,4]\n%z = tanh(X=%c)\nreturn %y, %z"),
        ("", "%y = prelu(X=%c, Alpha=%a) : float32[1,2,4,4]\nreturn %y"),
        ("", "%y = relu(X=%c) : float32[1,2,4,4] quant([0.5], [0], -1, int8)\nreturn %y"),
        ('{activation="tanh"}', "%y = relu(X=%c) : float32[1,2,4,4]\nreturn %y"),
    ],
)
def test_other_activations_and_users_prevent_the_fusion(conv: str, body: str) -> None:
    check_unchanged(
        PASS,
        f"""
        graph main(%x: float32[1,1,4,4]) {{
          %w = const float32[2,1,1,1] [1.5, -2.0]
          %a = const float32[1] [0.5]
          Output=%c = conv2d(Input=%x, Filter=%w) {conv} : float32[1,2,4,4]
          {body}
        }}
        """,
    )


def test_a_convolution_with_a_computed_filter_is_not_fused() -> None:
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


CLIPPED = """
    graph main(%x: float32[1,1,4,4], %limit: float32[1]) {
      %w = const float32[2,1,1,1] [1.5, -2.0]
      Output=%c = conv2d(Input=%x, Filter=%w) : float32[1,2,4,4]
      %y = clip(CLIP) : float32[1,2,4,4]
      return %y
    }
    """


@pytest.mark.parametrize(
    ("bounds", "fused"),
    [
        ("min=0.0, max=6.0", 'activation="relu6", activation_params=[6.0]'),
        ("min=0.0, max=0.5", 'activation="relu6", activation_params=[0.5]'),
        ("min=0.0, max=inf", 'activation="relu", activation_params=[]'),
    ],
)
def test_a_clip_from_zero_on_is_a_relu6(bounds: str, fused: str) -> None:
    check(
        PASS,
        CLIPPED.replace("CLIP)", f"X=%c) {{{bounds}}}"),
        f"""
        graph main(%x: float32[1,1,4,4], %limit: float32[1]) {{
          %w = const float32[2,1,1,1] [1.5, -2.0]
          Output=%y = conv2d(Input=%x, Filter=%w) {{{fused}}} : float32[1,2,4,4]
          return %y
        }}
        """,
    )


@pytest.mark.parametrize(
    "clip",
    ["X=%c) {min=-1.0, max=6.0}", "X=%c) {min=0.0, max=0.0}", "X=%c, Max=%limit) {min=0.0, max=6.0}"],
)
def test_other_clips_are_not_fused(clip: str) -> None:
    check_unchanged(PASS, CLIPPED.replace("CLIP)", clip))
