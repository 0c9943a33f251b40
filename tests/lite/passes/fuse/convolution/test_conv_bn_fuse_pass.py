"""batch_norm after a convolution is fused."""

from __future__ import annotations

import pytest

from lite.ir.text import parse_graph
from tests.lite.passes.check import check, check_unchanged, run_pass
from tests.lite.passes.fuse.equal import check_fused

PASS = "conv_bn_fuse_pass"

STATISTICS = """
  %s = const float32[2] [2.0, 3.0]
  %b = const float32[2] [0.5, -1.0]
  %m = const float32[2] [1.0, 2.0]
  %v = const float32[2] [3.0, 8.0]
"""
NORM = "batch_norm(X=%c, Scale=%s, Bias=%b, Mean=%m, Variance=%v) {epsilon=1.0}"


def test_batch_norm_becomes_part_of_filter_and_bias() -> None:
    """alpha = [2, 3] / sqrt([3, 8] + 1) = [1, 1]; with scale 4: [2, 1]."""
    check(
        PASS,
        f"""
        graph main(%x: float32[1,1,4,4]) {{
          %w = const float32[2,1,1,1] [1.5, -2.0]
          {STATISTICS.replace("[2.0, 3.0]", "[4.0, 3.0]")}
          Output=%c = conv2d(Input=%x, Filter=%w) {{strides=[2, 2]}} : float32[1,2,2,2]
          Y=%y = {NORM} : float32[1,2,2,2]
          %z = relu(X=%y)
          return %y, %z
        }}
        """,
        """
        graph main(%x: float32[1,1,4,4]) {
          %w_1 = const float32[2,1,1,1] [3.0, -2.0]
          %w_bias = const float32[2] [-1.5, -3.0]
          Output=%y = conv2d(Input=%x, Filter=%w_1, Bias=%w_bias) {strides=[2, 2]} : float32[1,2,2,2]
          %z = relu(X=%y)
          return %y, %z
        }
        """,
    )


@pytest.mark.parametrize(
    ("op", "filter_shape", "groups"),
    [
        ("conv2d", "6,4,3,3", 1),
        ("conv2d", "6,2,3,3", 2),
        ("conv2d", "4,1,3,3", 4),
        ("conv2d_transpose", "4,3,2,2", 1),
        ("conv2d_transpose", "4,3,2,2", 2),
        ("conv2d_transpose", "4,1,2,2", 4),
    ],
)
@pytest.mark.parametrize("bias", [True, False])
def test_every_convolution_is_fused(op: str, filter_shape: str, groups: int, bias: bool) -> None:
    sizes = [int(size) for size in filter_shape.split(",")]
    channels = sizes[1] * groups if "transpose" in op else sizes[0]
    vector = f"const float32[{channels}] random"
    graph = check_fused(
        PASS,
        f"""
        graph main(%x: float32[?,4,5,5]) {{
          %w = const float32[{filter_shape}] random(1)
          %cb = {vector}(2)
          %s = {vector}(3)
          %b = {vector}(4)
          %m = {vector}(5)
          %v = const float32[{channels}] [{", ".join(str(n + 0.5) for n in range(channels))}]
          Output=%c = {op}(Input=%x, Filter=%w{", Bias=%cb" if bias else ""}) {{groups={groups}}} : float32[*]
          Y=%y = {NORM} : float32[*]
          return %y
        }}
        """,
        [op],
    )
    assert sorted(graph.constants) == ["w_1", "w_bias"]


def test_a_shared_filter_is_copied() -> None:
    graph = check_fused(
        PASS,
        f"""
        graph main(%x: float32[1,1,4,4]) {{
          %w = const float32[2,1,3,3] random(1)
          {STATISTICS}
          Output=%c = conv2d(Input=%x, Filter=%w) : float32[1,2,2,2]
          Output=%d = conv2d(Input=%x, Filter=%w) : float32[1,2,2,2]
          Y=%y = {NORM} : float32[1,2,2,2]
          return %y, %d
        }}
        """,
        ["conv2d", "conv2d"],
    )
    assert sorted(graph.constants) == ["w", "w_1", "w_bias"]


FIRES = f"""
graph main(%x: float32[1,1,4,4], %f: float32[2,1,3,3], %g: float32[2], %r: float32[1,2,2,2]) {{
  %w = const float32[2,1,3,3] random(1)
  {STATISTICS}
  %held = no_such_op(X=[%w, %s])
  Output=%c = conv2d(Input=%x, Filter=%w) {{groups=1}} : float32[1,2,2,2]
  Y=%y = {NORM} : float32[1,2,2,2]
  return %y, %held
}}
"""


def test_unchanged_text_is_fused() -> None:
    graph = parse_graph(FIRES)

    assert run_pass(PASS, graph)
    assert [node.op for node in graph] == ["no_such_op", "conv2d"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return %y", "%z = relu(X=%c) return %y, %z"),
        ("return %y", "return %y, %c"),
        ("Filter=%w", "Filter=%f"),
        ("Scale=%s", "Scale=%g"),
        ("groups=1", 'activation="relu"'),
        ("Filter=%w", "Filter=%w, ResidualData=%r"),
        ("{groups=1} : float32[1,2,2,2]", "{groups=1} : float32[1,2,2,2] quant([0.5], [0], -1, int8)"),
        ("{groups=1} : float32[1,2,2,2]", "{groups=1}"),
        ("groups=1", 'data_format="NHWC"'),
        ("X=%c, Scale", "X=%r, Scale"),
    ],
)
def test_graphs_with_one_change_are_not_fused(old: str, new: str) -> None:
    text = FIRES.replace(old, new)

    assert text != FIRES
    check_unchanged(PASS, text)


def test_batch_norm_whose_statistic_is_read_is_not_fused() -> None:
    text = FIRES.replace("Y=%y = batch", "Y=%y, MeanOut=%o = batch").replace("return %y", "return %o, %y")

    check_unchanged(PASS, text.replace("1.0} : float32[1,2,2,2]", "1.0} : float32[1,2,2,2], float32[2]"))
