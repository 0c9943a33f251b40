"""Convolutions and products write bytes where nothing else reads their results."""

from __future__ import annotations

import pytest

from lite.ir.text import parse_graph
from lite.ir.types import DType, Layout, Place
from lite.passes.base import PassContext
from tests.lite.passes.check import check, check_unchanged, run_pass

PASS = "requantize_fuse_pass"
CPU = PassContext(valid_places=(Place("cpu", DType.FLOAT32, Layout.NHWC), Place("host")))

PRODUCT = """
    graph main(%x: uint8[2,4]) {
      %w = const int8[4,1] [1, 2, 3, 4]
      %t = const float32[1] [0.5]
      %s = const float32[] [0.25]
      %z = const uint8[] [9]
      %a = quantized_fc(Input=%x, W=%w, Scale=%t) {zero_point=3ATTRS} : float32[2,1]
      %y = affine_quantize(X=%a, Scale=%s, ZeroPoint=%z) {dtype=20} : uint8[2,1]
      return out=%yMORE
    }
"""


def test_a_quantisation_becomes_part_of_the_op_before_it() -> None:
    after = """
        graph main(%x: uint8[2,4]) {
          %w = const int8[4,1] [1, 2, 3, 4]
          %t = const float32[1] [0.5]
          %y = quantized_fc(Input=%x, W=%w, Scale=%t)
            {zero_point=3, out_scale=0.25, out_zero_point=9} : uint8[2,1]
          return out=%y
        }
    """
    check(PASS, PRODUCT.replace("ATTRS", "").replace("MORE", ""), after, CPU)


@pytest.mark.parametrize(
    ("attrs", "more"),
    [("", ", %a"), (', activation="swish", activation_params=[1.0]', "")],
    ids=["another reader", "a curved activation"],
)
def test_results_that_are_needed_as_floats_stay(attrs: str, more: str) -> None:
    check_unchanged(PASS, PRODUCT.replace("ATTRS", attrs).replace("MORE", more), CPU)


@pytest.mark.parametrize(("groups", "ops"), [(2, ["conv2d"]), (1, ["conv2d", "affine_quantize"])])
def test_of_float_convolutions_only_depthwise_ones_write_bytes(groups: int, ops: list[str]) -> None:
    per_group = 2 // groups
    numbers = ", ".join(["1.0"] * (2 * per_group))
    graph = parse_graph(f"""
        graph main(%x: float32[1,2,3,3]) {{
          %w = const float32[2,{per_group},1,1] [{numbers}]
          %s = const float32[] [0.25]
          Output=%a = conv2d(Input=%x, Filter=%w) {{groups={groups}}} : float32[1,2,3,3]
          %y = affine_quantize(X=%a, Scale=%s) {{dtype=20}} : uint8[1,2,3,3]
          return out=%y
        }}
    """)
    run_pass(PASS, graph, CPU)
    assert [node.op for node in graph] == ops
