"""Shapes of ops that move, join, cut, repeat and pick elements, with symbolic and unknown sizes."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from lite.ir.program import AttrValue
from lite.ir.types import DType
from tests.lite.ops.inferred import inferred

Inputs = dict[str, str | list[str]]
Attrs = dict[str, AttrValue]
LAST = 2**31 - 1

CASES: list[tuple[str, Inputs, Attrs, dict[str, int], str]] = [
    ("transpose2", {"X": "float32[n,3,w]"}, {"axis": [2, 0, 1]}, {"Out": 1}, "float32[w,n,3]"),
    ("transpose", {"X": "float32[*]"}, {"axis": [1, 0]}, {"Out": 1}, "float32[*]"),
    ("flip", {"X": "int64[n,3]"}, {"axis": [0]}, {"Out": 1}, "int64[n,3]"),
    ("roll", {"X": "int64[n]", "ShiftsTensor": "int64[2]"}, {"axis": [0]}, {"Out": 1}, "int64[n]"),
    ("concat", {"X": ["float32[n,2]", "float32[3,5]"]}, {"axis": 1}, {"Out": 1}, "float32[3,7]"),
    ("concat", {"X": ["float32[n,2]", "float32[m,2]"]}, {"axis": 0}, {"Out": 1}, "float32[?,2]"),
    ("concat", {"X": ["float32[n,2]"]}, {"axis": 0}, {"Out": 1}, "float32[n,2]"),
    ("concat", {"X": ["int32[2]"] * 2, "AxisTensor": "int32[1]"}, {}, {"Out": 1}, "int32[?]"),
    ("stack", {"X": ["float32[n,2]", "float32[?,2]"]}, {"axis": 1}, {"Y": 1}, "float32[n,2,2]"),
    ("split", {"X": "float32[n,6]"}, {"axis": 1, "num": 2}, {"Out": 2}, "float32[n,3] float32[n,3]"),
    ("split", {"X": "float32[n,6]"}, {"axis": 0, "num": 2}, {"Out": 2}, "float32[?,6] float32[?,6]"),
    ("split", {"X": "float32[n]"}, {"sections": [2, -1]}, {"Out": 2}, "float32[2] float32[?]"),
    (
        "split",
        {"X": "float32[6]", "SectionsTensorList": ["int32[1]", "int32[1]=2"]},
        {"sections": [9, 9]},
        {"Out": 2},
        "float32[?] float32[2]",
    ),
    (
        "split",
        {"X": "float32[4,6]", "AxisTensor": "int32[1]"},
        {"num": 2},
        {"Out": 2},
        "float32[?,?] float32[?,?]",
    ),
    ("unstack", {"X": "float32[k,3]"}, {"axis": 0, "num": 2}, {"Y": 2}, "float32[3] float32[3]"),
    ("unbind", {"X": "float32[n,2]"}, {"axis": 1}, {"Out": 2}, "float32[n] float32[n]"),
    ("unbind", {"X": "float32[n,2]"}, {"axis": 0}, {"Out": 2}, "float32[*] float32[*]"),
    (
        "slice",
        {"Input": "float32[n,8]"},
        {"axes": [1], "starts": [-3], "ends": [LAST]},
        {"Out": 1},
        "float32[n,3]",
    ),
    (
        "slice",
        {"Input": "float32[n,8]"},
        {"axes": [0], "starts": [0], "ends": [LAST]},
        {"Out": 1},
        "float32[n,8]",
    ),
    (
        "slice",
        {"Input": "float32[n,8]"},
        {"axes": [0], "starts": [1], "ends": [LAST]},
        {"Out": 1},
        "float32[?,8]",
    ),
    (
        "slice",
        {"Input": "float32[n,8]", "StartsTensor": "int32[1]", "EndsTensor": "int32[1]"},
        {"axes": [0], "decrease_axis": [0]},
        {"Out": 1},
        "float32[8]",
    ),
    (
        "slice",
        {"Input": "float32[9,8]", "StartsTensorList": ["int32[1]=2", "int32[1]"]},
        {"axes": [0, 1], "ends": [5, 6]},
        {"Out": 1},
        "float32[3,?]",
    ),
    (
        "strided_slice",
        {"Input": "float32[n,8]"},
        {"axes": [1], "starts": [7], "ends": [-1], "strides": [-2]},
        {"Out": 1},
        "float32[n,4]",
    ),
    (
        "strided_slice",
        {"Input": "float32[n,8]", "StridesTensor": "int32[1]"},
        {"axes": [1], "starts": [0], "ends": [8]},
        {"Out": 1},
        "float32[n,?]",
    ),
    ("crop", {"X": "float32[n,8]", "Y": "float32[2,w]"}, {}, {"Out": 1}, "float32[2,?]"),
    ("crop_tensor", {"X": "float32[n,8]"}, {"shape": [2, -1], "offsets": [0, 3]}, {"Out": 1}, "float32[2,5]"),
    ("crop_tensor", {"X": "float32[4,8]", "Shape": "int32[2]"}, {}, {"Out": 1}, "float32[?,?]"),
    ("expand_v2", {"X": "float32[n,1]"}, {"shape": [2, -1, 5]}, {"Out": 1}, "float32[2,n,5]"),
    (
        "expand_v2",
        {"X": "float32[3,1]", "expand_shapes_tensor": ["int32[1]", "int32[1]"]},
        {"shape": [-2, -2]},
        {"Out": 1},
        "float32[3,?]",
    ),
    ("expand_v2", {"X": "float32[3,1]", "Shape": "int32[2]=3,4"}, {}, {"Out": 1}, "float32[3,4]"),
    ("tile", {"X": "float32[n,2]"}, {"repeat_times": [1, 3]}, {"Out": 1}, "float32[n,6]"),
    ("tile", {"X": "float32[n,2]"}, {"repeat_times": [2, 3]}, {"Out": 1}, "float32[?,6]"),
    ("expand_as", {"X": "float32[n,2]", "target_tensor": "float32[m,4]"}, {}, {"Out": 1}, "float32[m,4]"),
    ("expand_as_v2", {"X": "float32[n,1]", "Y": "float32[n,4]"}, {}, {"Out": 1}, "float32[?,4]"),
    ("meshgrid", {"X": ["float32[n]", "int32[3]"]}, {}, {"Out": 2}, "float32[n,3] int32[n,3]"),
    ("gather", {"X": "float32[n,8]", "Index": "int32[k]"}, {}, {"Out": 1}, "float32[k,8]"),
    ("gather", {"X": "float32[n,8]", "Index": "int32[]"}, {"axis": 1}, {"Out": 1}, "float32[n]"),
    (
        "gather",
        {"X": "float32[n,8]", "Index": "int32[2]", "Axis": "int32[1]"},
        {},
        {"Out": 1},
        "float32[?,?]",
    ),
    ("gather_nd", {"X": "float32[n,8,w]", "Index": "int32[k,2]"}, {}, {"Out": 1}, "float32[k,w]"),
    ("gather_nd", {"X": "float32[n,8]", "Index": "int32[k,d]"}, {}, {"Out": 1}, "float32[*]"),
    ("lookup_table_v2", {"W": "float16[9,4]", "Ids": "int64[n,t]"}, {}, {"Out": 1}, "float16[n,t,4]"),
    ("lookup_table", {"W": "float32[9,4]", "Ids": "int64[n,1]"}, {}, {"Out": 1}, "float32[n,4]"),
    ("lookup_table_dequant", {"W": "float32[9,4]", "Ids": "int64[n,1]"}, {}, {"Out": 1}, "float32[n,8]"),
    ("one_hot_v2", {"X": "int64[n]", "depth_tensor": "int32[1]=7"}, {"depth": 2}, {"Out": 1}, "float32[n,7]"),
    ("one_hot_v2", {"X": "int64[n]", "depth_tensor": "int32[1]"}, {"depth": 2}, {"Out": 1}, "float32[n,?]"),
    (
        "scatter",
        {"X": "float32[n,2]", "Ids": "int32[k]", "Updates": "float32[k,2]"},
        {},
        {"Out": 1},
        "float32[n,2]",
    ),
    ("argsort", {"X": "float32[n]"}, {}, {"Out": 1, "Indices": 1}, "float32[n] int64[n]"),
    ("top_k_v2", {"X": "float32[n,m]"}, {"k": 3}, {"Out": 1, "Indices": 1}, "float32[n,3] int64[n,3]"),
    ("top_k_v2", {"X": "float32[9,m]", "K": "int32[1]"}, {"axis": 0}, {"Out": 1}, "float32[?,m]"),
    (
        "where",
        {"Condition": "bool[n,4]", "X": "float32[n,4]", "Y": "float32[n,4]"},
        {},
        {"Out": 1},
        "float32[n,4]",
    ),
    ("where_index", {"Condition": "bool[n,4]"}, {}, {"Out": 1}, "int64[?,2]"),
]


@pytest.mark.parametrize(("op", "inputs", "attrs", "outputs", "expected"), CASES)
def test_symbolic_sizes_pass_through_rules(
    op: str, inputs: Inputs, attrs: Attrs, outputs: dict[str, int], expected: str
) -> None:
    assert inferred(op, inputs, attrs, outputs) == expected


@pytest.mark.parametrize(
    ("op", "inputs", "attrs"),
    [
        ("split", {"X": "float32[n]"}, {"sections": []}),
        ("top_k_v2", {"X": "float32[3]"}, {"k": 4}),
        ("tile", {"X": "float32[3]", "RepeatTimes": "float32[1]"}, {}),
    ],
)
def test_attributes_that_fit_no_tensor_are_refused(op: str, inputs: Inputs, attrs: Attrs) -> None:
    with pytest.raises(GraphError, match=op):
        inferred(op, inputs, attrs)


@pytest.mark.parametrize(
    ("op", "inputs", "attrs", "expected"),
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
def test_sizes_may_be_tensors_or_text(
    op: str, inputs: dict[str, str | list[str]], attrs: dict[str, AttrValue], expected: str
) -> None:
    assert inferred(op, inputs, attrs) == expected
