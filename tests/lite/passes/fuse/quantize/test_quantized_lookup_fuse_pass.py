"""Functions of one quantised value become tables; others stay."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.text import parse_graph
from lite.ir.types import DType, Layout, Place
from lite.passes.base import PassContext
from tests.lite.passes.check import check, check_unchanged, constants_of, run_pass

PASS = "quantized_lookup_fuse_pass"
CPU = PassContext(valid_places=(Place("cpu", DType.FLOAT32, Layout.NHWC), Place("host")))

SWISH = """
    graph main(%q: uint8[2,3]) {
      %s = const float32[] [0.05]
      %t = const float32[] [0.04]
      %z = const uint8[] [128]
      %x = affine_dequantize(X=%q, Scale=%s, ZeroPoint=%z) : float32[2,3]
      %g = sigmoid(X=%x) : float32[2,3]
      %m = elementwise_mul(X=%x, Y=%g) : float32[2,3]
      %r = affine_quantize(X=%m, Scale=%t, ZeroPoint=%z) {dtype=20} : uint8[2,3]
      return out=%r
    }
"""


def test_a_chain_becomes_the_table_of_its_function() -> None:
    graph = parse_graph(SWISH)
    assert run_pass(PASS, graph, CPU)
    [node] = graph
    assert (node.op, node.input("X").name, node.output().name) == ("quantized_lookup", "q", "r")
    x = (np.arange(256) - 128) * 0.05
    expected = np.clip(np.rint(x / (1 + np.exp(-x)) / 0.04) + 128, 0, 255)
    np.testing.assert_array_equal(constants_of(graph)[node.input("Table").name], expected.astype(np.uint8))
    assert not run_pass(PASS, graph, CPU)


def test_tables_of_tables_are_one_table() -> None:
    before = """
        graph main(%q: int8[4]) {
          %s = const float32[] [0.5]
          %x = affine_dequantize(X=%q, Scale=%s) : float32[4]
          %a = relu(X=%x) : float32[4]
          %p = affine_quantize(X=%a, Scale=%s) {dtype=21} : int8[4]
          %b = affine_dequantize(X=%p, Scale=%s) : float32[4]
          %c = scale(X=%b) {scale=-1.0} : float32[4]
          %r = affine_quantize(X=%c, Scale=%s) {dtype=21} : int8[4]
          return out=%r
        }
    """
    graph = parse_graph(before)
    assert run_pass(PASS, graph, CPU)
    [node] = graph
    table = constants_of(graph)[node.input("Table").name]
    numbers = np.arange(256).astype(np.uint8).view(np.int8)
    np.testing.assert_array_equal(table, -np.maximum(numbers, 0))


def test_a_pair_that_cancels_is_removed() -> None:
    before = """
        graph main(%q: uint8[4]) {
          %s = const float32[] [0.5]
          %z = const uint8[] [7]
          %x = affine_dequantize(X=%q, Scale=%s, ZeroPoint=%z) : float32[4]
          %r = affine_quantize(X=%x, Scale=%s, ZeroPoint=%z) {dtype=20} : uint8[4]
          %y = affine_dequantize(X=%r, Scale=%s, ZeroPoint=%z) : float32[4]
          return out=%y
        }
    """
    after = """
        graph main(%q: uint8[4]) {
          %s = const float32[] [0.5]
          %z = const uint8[] [7]
          %y = affine_dequantize(X=%q, Scale=%s, ZeroPoint=%z) : float32[4]
          return out=%y
        }
    """
    check(PASS, before, after, CPU)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("elementwise_mul(X=%x, Y=%g)", "elementwise_mul(X=%x, Y=%other)"),
        ("sigmoid(X=%x)", "softmax(X=%x)"),
        ("const float32[] [0.05]", "const float32[3] [0.05, 0.06, 0.07]"),
    ],
    ids=["another operand", "an op that is not elementwise", "a scale for each channel"],
)
def test_other_functions_stay(old: str, new: str) -> None:
    assert old in SWISH
    text = SWISH.replace(old, new).replace("%q: uint8[2,3]", "%q: uint8[2,3], %other: float32[2,3]")
    if "float32[3]" in text:
        text = text.replace("X=%q, Scale=%s, ZeroPoint=%z", "X=%q, Scale=%s")
    check_unchanged(PASS, text, CPU)
