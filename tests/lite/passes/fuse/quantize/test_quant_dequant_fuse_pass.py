"""Convolutions and products of quantised values get the integers; all others stay in float."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lite.ir.text import parse_graph
from lite.ir.types import DType, Layout, Place
from lite.passes.base import PassContext
from tests.lite.passes.check import check, constants_of, run_pass

PASS = "quant_dequant_fuse_pass"
CPU = PassContext(valid_places=(Place("cpu", DType.FLOAT32, Layout.NHWC), Place("host")))

QUANTIZED = """
        graph main(%x: float32[1,1,2,2]) {{
          %s = const float32[] [0.5]
          %z = const {dtype}[] [{zero}]
          %w = const int8[2,1,1,1] [3, -4]
          %t = const float32[2] [0.25, 2.0]
          %q = affine_quantize(X=%x, Scale=%s, ZeroPoint=%z) {{dtype={code}}} : {dtype}[1,1,2,2]
          %a = affine_dequantize(X=%q, Scale=%s, ZeroPoint=%z) : float32[1,1,2,2]
          %f = affine_dequantize(X=%w, Scale=%t) {{axis=0}} : float32[2,1,1,1]
          Output=%y = conv2d(Input=%a, Filter=%f) : float32[1,2,2,2]
          return out=%y
        }}
"""

ATTRS = (
    'strides=[1, 1], paddings=[0, 0], padding_algorithm="EXPLICIT", dilations=[1, 1], groups=1, '
    'data_format="NCHW"'
)

INTEGERS = """
        graph main(%x: float32[1,1,2,2]) {{
          %x_scale = const float32[] [0.5]
          %x_zero = const uint8[] [{zero}]
          %f_codes = const int8[2,1,1,1] [3, -4]
          %f_scale = const float32[2] [0.125, 1.0]
          %x_codes = affine_quantize(X=%x, Scale=%x_scale, ZeroPoint=%x_zero)
            {{dtype=20}} : uint8[1,1,2,2]
          Output=%y = quantized_conv2d(Input=%x_codes, Filter=%f_codes, Scale=%f_scale)
            {{zero_point={zero}, {attrs}}} : float32[1,2,2,2]
          return out=%y
        }}
"""


@pytest.mark.parametrize(("dtype", "zero", "unsigned"), [("uint8", 7, 7), ("int8", -3, 125)])
def test_a_convolution_of_quantised_values_gets_their_integers(dtype: str, zero: int, unsigned: int) -> None:
    code = (DType.UINT8 if dtype == "uint8" else DType.INT8).code
    before = QUANTIZED.format(dtype=dtype, zero=zero, code=code)
    check(PASS, before, INTEGERS.format(zero=unsigned, attrs=ATTRS), CPU)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_integers_that_are_computed_otherwise_are_used(dtype: str) -> None:
    before = f"""
        graph main(%q: {dtype}[1,1,2,2]) {{
          %s = const float32[] [0.5]
          %z = const {dtype}[] [3]
          %w = const int8[2,1,1,1] [3, -4]
          %t = const float32[2] [0.25, 2.0]
          %a = affine_dequantize(X=%q, Scale=%s, ZeroPoint=%z) : float32[1,1,2,2]
          %f = affine_dequantize(X=%w, Scale=%t) {{axis=0}} : float32[2,1,1,1]
          Output=%y = conv2d(Input=%a, Filter=%f) : float32[1,2,2,2]
          return out=%y
        }}
    """
    is_signed = dtype == "int8"
    table = (*range(128, 256), *range(128))
    constant = f"%q_table = const uint8[256] {[*table]}" if is_signed else ""
    lookup = "%q_codes = quantized_lookup(X=%q, Table=%q_table) : uint8[1,1,2,2]" if is_signed else ""
    after = f"""
        graph main(%q: {dtype}[1,1,2,2]) {{
          {constant}
          %f_codes = const int8[2,1,1,1] [3, -4]
          %f_scale = const float32[2] [0.125, 1.0]
          {lookup}
          Output=%y = quantized_conv2d(
            Input=%{"q_codes" if is_signed else "q"}, Filter=%f_codes, Scale=%f_scale)
            {{zero_point={131 if is_signed else 3}, {ATTRS}}} : float32[1,2,2,2]
          return out=%y
        }}
    """
    check(PASS, before, after, CPU)


def test_weights_of_other_ops_are_dequantised_once() -> None:
    after = """
        graph main(%x: float32[1,1,2,2]) {
          %s = const float32[] [0.5]
          %z = const uint8[] [7]
          %f_1 = const float32[2,1,1,1] [0.75, -8.0]
          %q = affine_quantize(X=%x, Scale=%s, ZeroPoint=%z) {dtype=20} : uint8[1,1,2,2]
          %a = affine_dequantize(X=%q, Scale=%s, ZeroPoint=%z) : float32[1,1,2,2]
          Output=%y = conv2d(Input=%a, Filter=%f_1) : float32[1,2,2,2]
          return out=%y
        }
    """
    check(PASS, QUANTIZED.format(dtype="uint8", zero=7, code=20), after, replace(CPU, strict=True))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "%f = affine_dequantize(X=%w, Scale=%t) {axis=0}",
            "%f = affine_dequantize(X=%w, Scale=%t) {axis=1}",
        ),
        ("conv2d(Input=%a", "conv2d(Input=%x"),
    ],
    ids=["scales along the inputs", "an input that is not quantised"],
)
def test_other_convolutions_stay_in_float(old: str, new: str) -> None:
    text = QUANTIZED.format(dtype="int8", zero=0, code=21).replace("int8[2,1,1,1]", "int8[2,2,1,1]")
    text = text.replace("[3, -4]", "[3, -4, 5, 6]").replace("float32[2,1,1,1]", "float32[2,2,1,1]")
    text = text.replace("[1,1,2,2]", "[1,2,2,2]").replace(
        "%t =", "%u = const float32[] [0.25]\n          %t ="
    )
    assert old in text
    graph = parse_graph(text.replace(old, new))
    run_pass(PASS, graph, CPU)
    assert "quantized_conv2d" not in [node.op for node in graph]


def test_paddles_scales_are_greatest_magnitudes() -> None:
    before = """
        graph main(%x: float32[2,3]) {
          %s = const float32[1] [2.54]
          %w = const int8[3,2] [1, 2, 3, 4, 5, 6]
          %t = const float32[2] [1.27, 2.54]
          Y=%q = quantize_linear(X=%x, Scale=%s) {quant_axis=-1} : float32[2,3]
          Y=%a = dequantize_linear(X=%q, Scale=%s) {quant_axis=-1} : float32[2,3]
          Y=%f = dequantize_linear(X=%w, Scale=%t) {quant_axis=1} : float32[3,2]
          %y = matmul_v2(X=%a, Y=%f) : float32[2,2]
          return out=%y
        }
    """
    graph = parse_graph(before)
    assert run_pass(PASS, graph, CPU)
    quantize, product = graph
    assert (quantize.op, product.op) == ("affine_quantize", "quantized_fc")
    constants = constants_of(graph)
    np.testing.assert_allclose(constants[quantize.input("Scale").name], 0.02, rtol=1e-6)
    assert constants[quantize.input("ZeroPoint").name] == 128
    np.testing.assert_allclose(constants[product.input("Scale").name], [0.0002, 0.0004], rtol=1e-6)
    np.testing.assert_array_equal(constants[product.input("W").name], [[1, 2], [3, 4], [5, 6]])
    assert product.attrs == {"zero_point": 128, "in_num_col_dims": 1}
