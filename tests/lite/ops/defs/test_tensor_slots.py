"""Shapes of ops whose axes, sizes or equation come from tensors or text, as far as they are known."""

from __future__ import annotations

import pytest

from lite.ir.program import AttrValue
from lite.ir.types import DType
from tests.lite.ops.inferred import inferred


@pytest.mark.parametrize(
    ("op", "inputs", "attrs", "wanted"),
    [
        ("reduce_sum", {"X": "float32[n,3,4]", "AxisTensor": "int64[1]=1"}, {}, "float32[n,4]"),
        ("reduce_sum", {"X": "float32[n,3,4]", "AxisTensor": "int64[2]"}, {}, "float32[?]"),
        ("reduce_sum", {"X": "float32[n,3]", "AxisTensor": "int64[k]"}, {"keep_dim": True}, "float32[?,?]"),
        ("reduce_sum", {"X": "float32[n,3]", "AxisTensor": "int64[k]"}, {}, "float32[*]"),
        ("logsumexp", {"X": "float32[n,3]"}, {"dim": [1]}, "float32[n]"),
        ("squeeze2", {"X": "int8[n,1,4]", "AxesTensor": "int64[1]=1"}, {}, "int8[n,4]"),
        ("squeeze2", {"X": "int8[n,1,4]", "AxesTensor": "int64[1]"}, {}, "int8[?,?]"),
        ("squeeze2", {"X": "int8[n,1,4]", "AxesTensor": "int64[k]"}, {}, "int8[*]"),
        ("cumprod", {"X": "int64[n,3]", "AxisTensor": "int64[]"}, {}, "int64[n,3]"),
        ("broadcast_to", {"X": "float32[n,1]", "Shape": "int64[3]=2,1,5"}, {}, "float32[2,n,5]"),
        ("broadcast_to", {"X": "float32[n,1]", "Shape": "int64[2]"}, {}, "float32[?,?]"),
        ("broadcast_to", {"X": "float32[n,1]", "Shape": "int64[k]"}, {}, "float32[*]"),
        ("pad_nd", {"X": "float32[n,3]"}, {"paddings": [0, 1, 0, 2]}, "float32[n,6]"),
        ("pad_nd", {"X": "float32[n,3]", "Paddings": "int64[4]"}, {}, "float32[?,?]"),
        ("one_hot_values", {"X": "int64[n]", "Values": "int8[2]"}, {"axis": 0, "depth": 5}, "int8[5,n]"),
        ("one_hot_values", {"X": "int64[n]", "Depth": "int64[]", "Values": "int8[2]"}, {}, "int8[n,?]"),
        (
            "dynamic_slice",
            {"Input": "float32[n,5,4]", "Starts": "int64[1]=1", "Ends": "int64[1]=9", "Axes": "int64[1]=1"},
            {},
            "float32[n,4,4]",
        ),
        (
            "dynamic_slice",
            {"Input": "float32[n,5,4]", "Starts": "int64[2]", "Ends": "int64[2]"},
            {},
            "float32[?,?,4]",
        ),
        (
            "einsum",
            {"Operands": ["float32[b,n,3]", "float32[3,m]"]},
            {"equation": "...i,ij"},
            "float32[b,n,m]",
        ),
        ("determinant", {"Input": "float32[n,3,3]"}, {}, "float32[n]"),
        ("cosine_window", {"Size": "int64[]=8"}, {}, "float32[8]"),
        ("cosine_window", {"Size": "int64[]"}, {"dtype": DType.FLOAT64.code}, "float64[?]"),
        ("eye_like", {"X": "float32[n,m]"}, {"dtype": DType.BOOL.code}, "bool[n,m]"),
        ("multinomial", {"X": "float32[n,4]"}, {"num_samples": 7}, "int64[n,7]"),
        ("bitcast", {"X": "float32[n]"}, {"dtype": DType.UINT32.code}, "uint32[n]"),
        (
            "affine_quantize",
            {"X": "float32[n,4]", "Scale": "float32[4]"},
            {"dtype": DType.INT8.code},
            "int8[n,4]",
        ),
        ("affine_dequantize", {"X": "int8[n,4]", "Scale": "float16[]"}, {}, "float16[n,4]"),
    ],
)
def test_shape(op: str, inputs: dict[str, str | list[str]], attrs: dict[str, AttrValue], wanted: str) -> None:
    assert inferred(op, inputs, attrs) == wanted
