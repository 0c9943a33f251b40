"""A quantised convolution of one op becomes a convolution between quantised values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lite.ir.text import parse_graph
from lite.ir.types import DType, Layout, Place
from lite.passes.base import PassContext
from tests.lite.passes.check import check_unchanged, constants_of, run_pass

PASS = "qlinear_conv_split_pass"
CPU = PassContext(valid_places=(Place("cpu", DType.FLOAT32, Layout.NHWC), Place("host")))

TEXT = """
    graph main(%x: uint8[1,1,5,6], %n: uint8[]) {
      %xs = const float32[] [0.5]
      %xz = const uint8[] [7]
      %w = const int8[2,1,1,1] [3, -4]
      %ws = const float32[2] [0.25, 2.0]
      %wz = const int8[] [0]
      %ys = const float32[] [0.125]
      %yz = const int8[] [-3]
      %b = const int32[2] [8, -2]
      %y = qlinear_conv(X=%x, XScale=%xs, XZeroPoint=%xz, Filter=%w, FilterScale=%ws, FilterZeroPoint=%wz,
        OutScale=%ys, OutZeroPoint=%yz, Bias=%b) {pads=[1, 2, 3, 4], strides=[2, 1]} : int8[1,2,5,12]
      return out=%y
    }
"""


def test_the_ops_and_their_parameters() -> None:
    graph = parse_graph(TEXT)
    assert run_pass(PASS, graph, CPU)
    image, weight, conv, quantize = graph
    assert [node.op for node in graph] == ["affine_dequantize"] * 2 + ["conv2d", "affine_quantize"]
    assert (image.input("Scale").name, image.input("ZeroPoint").name) == ("xs", "xz")
    assert weight.attrs["axis"] == 0
    assert conv.attrs == {"strides": [2, 1], "paddings": [1, 3, 2, 4], "dilations": [1, 1], "groups": 1}
    np.testing.assert_array_equal(constants_of(graph)[conv.input("Bias").name], [1.0, -2.0])
    assert quantize.output().name == "y"
    assert (quantize.input("Scale").name, quantize.attrs["dtype"]) == ("ys", DType.INT8.code)
    assert not run_pass(PASS, graph, CPU)


def test_a_line_becomes_an_image() -> None:
    line = TEXT.replace("uint8[1,1,5,6]", "uint8[1,1,6]").replace("int8[2,1,1,1]", "int8[2,1,1]")
    line = line.replace("pads=[1, 2, 3, 4], strides=[2, 1]", "pads=[1, 4], strides=[2]")
    graph = parse_graph(line.replace("int8[1,2,5,12]", "int8[1,2,6]"))
    assert run_pass(PASS, graph, CPU)
    ops = ["unsqueeze2", "affine_dequantize", "affine_dequantize", "conv2d", "affine_quantize", "squeeze2"]
    assert [node.op for node in graph] == ops
    unsqueeze, _, weight, conv, quantize, squeeze = graph
    assert unsqueeze.output().shape == (1, 1, 1, 6)
    np.testing.assert_array_equal(constants_of(graph)[weight.input("X").name], [[[[3]]], [[[-4]]]])
    assert conv.attrs == {"strides": [1, 2], "paddings": [0, 0, 1, 4], "dilations": [1, 1], "groups": 1}
    assert (quantize.output().shape, quantize.output().dtype) == ((1, 2, 1, 6), DType.INT8)
    assert (squeeze.output().name, squeeze.output().shape) == ("y", (1, 2, 6))


def test_nothing_changes_in_strict_precision() -> None:
    check_unchanged(PASS, TEXT, replace(CPU, strict=True))


@pytest.mark.parametrize(
    ("old", "new"),
    [("XZeroPoint=%xz", "XZeroPoint=%n"), ("strides=[2, 1]", 'strides=[2, 1], auto_pad="SAME_LOWER"')],
    ids=["a parameter of the run", "padding by the size"],
)
def test_other_convolutions_stay(old: str, new: str) -> None:
    shape = "int8[1,2,3,6]" if "auto_pad" in new else "int8[1,2,5,12]"
    check_unchanged(PASS, TEXT.replace(old, new).replace("int8[1,2,5,12]", shape), CPU)
