"""Small models that an optimiser of a vendor computes wrongly unless a bridge or an option avoids it."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

import lite
from tests.support.device_availability import require

HEAD = '<ir_version: 10, opset_import: ["" : 20, "com.microsoft" : 1]>'

CASES = {
    # ONNX Runtime 1.32 fuses both, and multiplies a transposed matrix by a vector wrongly.
    "a transposed matrix times a vector": (
        "onnxruntime",
        """agraph (float[1, 3, 7, 8] x) => (float[] y) <float[7] w = {1, -1, 2, 0, 3, -2, 1}> {
             t = Transpose <perm = [0, 1, 3, 2]> (x)
             y = MatMul (t, w)
           }""",
        (1, 3, 7, 8),
    ),
    # ONNX Runtime makes MatMulNBits of it, which rounds x to bytes.
    "a product with weights of four bits": (
        "onnxruntime",
        """agraph (float[5, 16] x) => (float[] y)
           <float[1] s = {0.05}, uint8[1, 1, 8] w = {101, 91, 228, 126, 165, 114, 248, 199}> {
             y = com.microsoft.MatMulNBits <K = 16, N = 1, bits = 4, block_size = 16> (x, w, s)
           }""",
        (5, 16),
    ),
    # OpenVINO 2026.4 makes zeros of a FakeQuantize of moved constants.
    "parts of quantised constants": (
        "openvino",
        """agraph (float[2, 2] x) => (float[] y)
           <int8[3, 2] c = {-21, -22, -21, -20, -19, -25}, float[1] s = {0.5}, int8[1] z = {-20},
            int64[2] sizes = {2, 1}> {
             d = DequantizeLinear (c, s, z)
             a, b = Split <axis = 0> (d, sizes)
             m = Mish (a)
             y = Add (m, x)
           }""",
        (2, 2),
    ),
    # OpenVINO 2026.4 adds the bias to the result of the last run.
    "a convolution of a constant image with a computed bias": (
        "openvino",
        """agraph (float[2] x) => (float[] y)
           <int64[4] shape = {1, 2, 1, 1}, float[1, 1, 3, 2] i = {1, 2, 3, 4, 5, 6},
            float[2, 1, 2, 2] w = {1, 2, 3, 4, -1, 0, 2, 1}> {
             b = Mul (x, x)
             c = Conv (i, w, b)
             s = Sigmoid (x)
             t = Reshape (s, shape)
             y = Mul (c, t)
           }""",
        (2,),
    ),
    # OpenVINO 2026.4 gives the strides to the first convolution, as if nothing were padded.
    "a padded convolution with strides and one element after another one": (
        "openvino",
        """agraph (float[1, 1, 4, 4] x) => (float[] y)
           <float[1, 1, 1, 2] v = {1, -2}, float[2, 1, 1, 1] w = {3, -1}> {
             c = Conv <pads = [0, 0, 0, 1]> (x, v)
             r = Relu (c)
             y = Conv <pads = [1, 0, 0, 1], strides = [2, 2]> (r, w)
           }""",
        (1, 1, 4, 4),
    ),
    # OpenVINO 2026.4 takes a FakeQuantize of 65536 levels for one of bytes.
    "a convolution of activations with 16 bits": (
        "openvino",
        """agraph (float[1, 2, 5, 5] x) => (float[] y)
           <float s = {0.0002}, uint16 z = {32768}, float t = {0.01}, uint8 m = {7},
            uint8[2, 2, 1, 2] w = {3, 200, 14, 7, 90, 255, 0, 31}> {
             q = com.microsoft.QuantizeLinear (x, s, z)
             d = com.microsoft.DequantizeLinear (q, s, z)
             v = DequantizeLinear (w, t, m)
             c = Conv (d, v)
             r = Relu (c)
             p = com.microsoft.QuantizeLinear (r, s, z)
             e = com.microsoft.DequantizeLinear (p, s, z)
             y = Conv (e, v)
           }""",
        (1, 2, 5, 5),
    ),
    # OpenVINO 2026.4 averages the bytes, and rounds.
    "an average of dequantised values": (
        "openvino",
        """agraph (float[1, 3, 5, 5] x) => (float[] y) <float s = {0.0078125}, int8 z = {-1}> {
             q = QuantizeLinear (x, s, z)
             d = DequantizeLinear (q, s, z)
             a = AveragePool <kernel_shape = [2, 2], pads = [0, 0, 1, 1]> (d)
             y = Mul (a, a)
           }""",
        (1, 3, 5, 5),
    ),
    # OpenVINO 2026.4 pads with the byte 0, which is not the zero point.
    "an average with padding of dequantised values": (
        "openvino",
        """agraph (float[1, 3, 5, 5] x) => (float[] y) <float s = {0.0625}, uint8 z = {99}> {
             q = QuantizeLinear (x, s, z)
             d = DequantizeLinear (q, s, z)
             a = AveragePool <kernel_shape = [2, 2], pads = [1, 1, 0, 0], count_include_pad = 1> (d)
             p = QuantizeLinear (a, s, z)
             e = DequantizeLinear (p, s, z)
             y = Mul (e, e)
           }""",
        (1, 3, 5, 5),
    ),
    # OpenVINO 2026.4 multiplies by the wrong elements.
    "the means of rows times constants": (
        "openvino",
        """agraph (float[5, 4, 6] x) => (float[] y)
           <int64[1] last = {-1}, int64[1] zeroth = {0}, float[4, 1] w = {1, 2, -3, 4},
            float[1, 4] v = {2, 3, 5, 7}> {
             m = ReduceMean (x, last)
             r = Mul (m, v)
             n = ReduceMax <keepdims = 0> (x, zeroth)
             s = Mul (n, w)
             u = ReduceSum (s, last)
             t = Reshape (r, last)
             total = ReduceSum <keepdims = 0> (u)
             y = Add (t, total)
           }""",
        (5, 4, 6),
    ),
    # OpenVINO 2026.4 crashes.
    "a filter of one element that is dilated": (
        "openvino",
        """agraph (float[3, 2, 1, 1] x) => (float[] y)
           <float[2, 2, 1, 1] w = {1, 2, 3, 4}, float[2] b = {0, -1}, float f = {1.5}> {
             r = Mul (x, f)
             y = Conv <dilations = [1, 2], kernel_shape = [1, 1], pads = [1, 1, 1, 1],
                       strides = [1, 2]> (r, w, b)
           }""",
        (3, 2, 1, 1),
    ),
    # OpenVINO 2026.4 takes element 3 of position 3.5.
    "the nearest element of a position between two": (
        "openvino",
        """agraph (float[1, 1, 7, 6] x) => (float[] y) <int64[4] sizes = {1, 1, 8, 6}> {
             r = Resize <coordinate_transformation_mode = "asymmetric", mode = "nearest",
                         nearest_mode = "round_prefer_ceil"> (x, , , sizes)
             y = Mul (r, r)
           }""",
        (1, 1, 7, 6),
    ),
    # OpenVINO 2026.4 divides by zero, which ends the process, when it folds the gather.
    "a gather by no indices that follow from constants": (
        "openvino",
        """agraph (float[1, 2] x) => (float[] y) <float s = {0.125}, uint8 z = {9},
                                                 float[1, 2] w = {0.5, -1.5}, float high = {1.4}> {
             r = Relu (x)
             q = QuantizeLinear (w, s, z)
             d = DequantizeLinear (q, s, z)
             g = Greater (d, high)
             n = NonZero (g)
             t = Transpose <perm = [1, 0]> (n)
             e = Gather <axis = 0> (d, t)
             total = ReduceSum <keepdims = 0> (e)
             y = Add (r, total)
           }""",
        (1, 2),
    ),
    # OpenVINO 2026.4 finds the numbers that are not 0 before they become integers.
    "positions of integers that were fractions": (
        "openvino",
        """agraph (float[3, 4] x) => (int64[2, n] y) {
             i = Cast <to = 7> (x)
             y = NonZero (i)
           }""",
        (3, 4),
    ),
    # OpenVINO 2026.4 takes a first shape of zeros for the one that it has seen last, and writes none.
    "a computed shape of zeros": (
        "openvino",
        """agraph (float[4] x) => (float[a, b] y, float[4] s) <float[2, 2] w = {1, 2, 3, 4}> {
             none = Sub (x, x)
             zeros = Cast <to = 7> (none)
             shape, rest = Split <axis = 0, num_outputs = 2> (zeros)
             y = Reshape (w, shape)
             s = Sigmoid (x)
           }""",
        (4,),
    ),
    # OpenVINO 2026.4 takes the 0 for 1.
    "a sum with a tensor of a computed shape that has no elements": (
        "openvino",
        """agraph (float[4] x) => (float[a, b] y) <float[2] size = {0, 3}, float[1] one = {1}> {
             none = Sub (x, x)
             part, rest = Split <axis = 0, num_outputs = 2> (none)
             sum = Add (part, size)
             shape = Cast <to = 7> (sum)
             fill = ConstantOfShape (shape)
             y = Add (fill, one)
           }""",
        (4,),
    ),
    # The same for a shape that a reshape to it would not hide.
    "a sum with a tensor of the shape of no positions": (
        "openvino",
        """agraph (float[1, 3] x) => (float[a, b] y) <float one = {1}> {
             none = Sub (x, x)
             positions = NonZero (none)
             rows = Transpose <perm = [1, 0]> (positions)
             shape = Shape (rows)
             fill = ConstantOfShape (shape)
             y = Add (fill, one)
           }""",
        (1, 3),
    ),
    # OpenVINO 2026.4 takes the axis of size 1 for the last one, and repeats the rows.
    "a repeated channel of an image of a computed size": (
        "openvino",
        """agraph (float[4] x) => (float[a, b, c, d] y)
           <int64[4] shape = {1, 1, -1, 2}, int64[4] times = {1, 3, 1, 1}, float f = {2}> {
             positive = Relu (x)
             places = NonZero (positive)
             column = Gather <axis = 0> (x, places)
             columns = Concat <axis = 1> (column, column)
             image = Reshape (columns, shape)
             s = Softmax (image)
             t = Tile (s, times)
             y = Mul (t, f)
           }""",
        (4,),
    ),
    # OpenVINO 2026.4 fuses the products, and takes the bits of integer sums for real numbers.
    "products of bytes in a row": (
        "openvino",
        """agraph (float[3, 4] x) => (float[a, b] y)
           <float s = {0.03}, uint8 z = {117}, float u = {0.11}, float[1] v = {0.01}, int8[1] n = {0},
            int8[4, 5] w = {-50, 33, 7, -2, 91, 13, 64, -9, 5, 77, 8, -31, 99, 50, -4, 10, 20, 3, -7, 1},
            int8[5, 2] m = {40, -13, 2, 61, -5, 9, 77, -80, 21, 14}> {
             q = QuantizeLinear (x, s, z)
             d = DequantizeLinear (q, s, z)
             e = DequantizeLinear (w, v, n)
             p = MatMul (d, e)
             r = QuantizeLinear (p, u, z)
             t = DequantizeLinear (r, u, z)
             f = DequantizeLinear (m, v, n)
             y = MatMul (t, f)
           }""",
        (3, 4),
    ),
    # OpenVINO 2026.4 adds two products of bytes in 16 bits, also on processors with VNNI.
    "scaled columns of a product of two computed matrices of bytes": (
        "openvino",
        """agraph (float[3, 16] x) => (float[a, b] y)
           <float s = {0.01}, int8 z = {0}, float[3] columns = {1, 2, -3}> {
             q = QuantizeLinear (x, s, z)
             d = DequantizeLinear (q, s, z)
             t = Transpose <perm = [1, 0]> (d)
             p = MatMul (d, t)
             y = Mul (p, columns)
           }""",
        (3, 16),
    ),
    # OpenVINO 2026.4 reads beyond the scales.
    "scaled columns of products of two computed tensors of bytes": (
        "openvino",
        """agraph (float[2, 5, 24] x) => (float[a, b, c] y)
           <float s = {0.01}, uint8 z = {0}, int8 n = {0}, float[5] columns = {1, 2, -3, 4, 5}> {
             q = QuantizeLinear (x, s, z)
             d = DequantizeLinear (q, s, z)
             r = QuantizeLinear (x, s, n)
             e = DequantizeLinear (r, s, n)
             t = Transpose <perm = [0, 2, 1]> (e)
             p = MatMul (d, t)
             y = Mul (p, columns)
           }""",
        (2, 5, 24),
    ),
    # OpenVINO 2026.4 ends the process where it joins attention with a mean that lost an axis by Squeeze.
    "a normalised sum with attention": (
        "openvino",
        """agraph (float[2, 3, 2] x) => (float[] y)
           <float[2, 2] l = {1, 2, -1, 0.5}, float[2, 3] p = {1, 0, 2, -1, 3, 1},
            float[3, 2] q = {1, -2, 0.5, 3, 2, 1}, float two = {2}, float e = {1e-5}, int64[1] last = {-1}> {
             m = MatMul (x, l)
             s = Add (x, m)
             k = MatMul (s, p)
             t = Mul (k, two)
             a = Softmax <axis = -1> (t)
             o = MatMul (a, q)
             r = Add (s, o)
             mean = ReduceMean (r, last)
             c = Sub (r, mean)
             d = Pow (c, two)
             v = ReduceMean (d, last)
             w = Add (v, e)
             g = Sqrt (w)
             y = Div (c, g)
           }""",
        (2, 3, 2),
    ),
    "a transposed value that is quantised for one of its readers": (
        "onnxruntime",
        """agraph (float[2, 4, 5, 1] x) => (float[2, 4, 5, 1] u, float[2, 5, 1, 4] i)
           <float s = {0.03}, uint8 z = {1}> {
             t = Transpose <perm = [0, 2, 3, 1]> (x)
             r = Relu (t)
             u = Transpose <perm = [0, 3, 1, 2]> (r)
             q = QuantizeLinear (r, s, z)
             i = DequantizeLinear (q, s, z)
           }""",
        (2, 4, 5, 1),
    ),
    # OpenVINO 2026.4 ends the process where it quantises the result.
    "a small product of bytes that is quantised again": (
        "openvino",
        """agraph (float[4, 1] x) => (float[a, b] y)
           <float s = {0.015625}, float t = {0.25}, uint8 z = {16}, uint8 u = {29}, int8 n = {0},
            int8[1, 3] w = {-5, 7, -1}, int64[2] times = {2, 1}, int64[3] first = {0, 0, 0}> {
             q = QuantizeLinear (x, s, z)
             d = DequantizeLinear (q, s, z)
             e = DequantizeLinear (w, s, n)
             p = MatMul (d, e)
             f = QuantizeLinear (p, t, u)
             g = DequantizeLinear (f, t, u)
             r = Tile (g, times)
             h = QuantizeLinear (r, t, u)
             i = DequantizeLinear (h, t, u)
             k = Softplus (i)
             l = Gather <axis = 1> (p, first)
             y = Concat <axis = 0> (k, l, p)
           }""",
        (4, 1),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_device_gives_the_answers_of_the_host(case: str) -> None:
    device, text, shape = CASES[case]
    require(device)
    data = onnx.parser.parse_model(f"{HEAD} {text}").SerializeToString()
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)

    on_device = lite.create_predictor(lite.Config(model_buffer=data, devices=[device], min_subgraph_ops=1))
    on_host = lite.create_predictor(lite.Config(model_buffer=data))
    expected = on_host.run({"x": x})

    assert on_device.report().regions
    for _ in range(3):
        found = on_device.run({"x": x})
        for name, array in expected.items():
            np.testing.assert_allclose(found[name], array, rtol=1e-4, atol=1e-5)
