"""Small models with weights, shape arithmetic, loops, branches, functions, LSTM and quantised data."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import parser

_MODELS = {
    "layers": """
        <ir_version: 8, opset_import: ["" : 17]>
        g (float[n, 2, 4, 4] x) => (float[n, 3] y)
        <float[3, 2, 3, 3] w = {%(w)s}, float[3] b = {1, 2, 3}, int64[2] shape = {0, -1},
         float[12, 3] m = {%(m)s}>
        {
            c = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]> (x, w, b)
            p = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (c)
            r = Relu (p)
            f = Reshape (r, shape)
            d = Gemm <alpha = 0.5, transB = 0> (f, m, b)
            y = Softmax <axis = 1> (d)
        }
    """,
    "shapes": """
        <ir_version: 8, opset_import: ["" : 17]>
        g (float[n, c, h] x, float[2, 3] i) => (float[n, k] y, int64[3] s)
        <int64[1] zero = {0}, int64[1] one = {1}, int64[2] ends = {1, 9}, int64[2] axes = {0, 2},
         float init = {1.5}>
        {
            s = Shape (x)
            n = Slice (s, zero, one)
            minus = Constant <value = int64[1] {-1}> ()
            to = Concat <axis = 0> (n, minus)
            flat = Reshape (x, to)
            part, rest = Split <axis = 1> (flat)
            t = Transpose <perm = [1, 0]> (part)
            cut = Slice (x, axes, ends, axes)
            mean = ReduceMean <axes = [0, 1], keepdims = 0> (cut)
            more = Expand (mean, one)
            pad = Pad <mode = "constant"> (i, shape4, init)
            shape4 = Constant <value_ints = [0, 1, 0, 1]> ()
            sum = ReduceSum <keepdims = 0> (pad)
            wide = Gather <axis = 0> (t, zero)
            both = Add (wide, sum)
            all = Add (both, more)
            cast = Cast <to = 1> (all)
            y = Where (truth, cast, cast)
            truth = Equal (all, all)
        }
    """,
    "control": """
        <ir_version: 8, opset_import: ["" : 17]>
        g (float[2] x, int64 count, bool c) => (float[2] y, float[n, 2] all, float[2] z)
        {
            y, all = Loop (count, , x) <
                body = body (int64 i, bool run, float[2] v) => (bool again, float[2] w, float[2] each)
                { again = Identity (run) w = Add (v, x) each = Neg (w) }>
            z = If (c) <
                then_branch = left () => (float[2] r) { r = Relu (y) },
                else_branch = right () => (float[2] r) { r = Abs (x) }>
        }
    """,
    "function": """
        <ir_version: 8, opset_import: ["" : 17, "mine" : 1]>
        g (float[2] x) => (float[2] y) { a = mine.twice (x) y = mine.plus <k = 2.0> (a) }
        <domain: "mine", opset_import: ["" : 17]> twice (v) => (w) { w = Add (v, v) }
        <domain: "mine", opset_import: ["" : 17]> plus <k> (v) => (w)
            { n = Constant <value_float: float = @k> () w = Add (v, n) }
    """,
    "recurrent": """
        <ir_version: 8, opset_import: ["" : 17]>
        g (float[t, b, 2] x) => (float[t, 1, b, 3] y, float[1, b, 3] h)
        <float[1, 12, 2] w = {%(lw)s}, float[1, 12, 3] r = {%(lr)s}>
        { y, h = LSTM <hidden_size = 3, direction = "forward"> (x, w, r) }
    """,
    "quantised": """
        <ir_version: 8, opset_import: ["" : 17]>
        g (float[2, 4] x) => (float[2, 3] y)
        <float s = {0.1}, uint8 z = {128}, int8[4, 3] w = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12},
         float[3] ws = {0.5, 0.25, 0.125}, int8[3] wz = {0, 0, 0}>
        {
            q = QuantizeLinear (x, s, z)
            d = DequantizeLinear (q, s, z)
            dw = DequantizeLinear <axis = 1> (w, ws, wz)
            y = MatMul (d, dw)
        }
    """,
}


def _numbers(count: int) -> str:
    return ", ".join(str(n) for n in np.linspace(-1, 1, count).round(3))


def small_models() -> dict[str, onnx.ModelProto]:
    """The models by name."""
    numbers = {"w": _numbers(54), "m": _numbers(36), "lw": _numbers(24), "lr": _numbers(36)}
    return {name: parser.parse_model(text % numbers) for name, text in _MODELS.items()}
