"""Shapes and dtypes of elementwise ops of several tensors."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from lite.ir.types import DType
from tests.lite.ops.inferred import inferred


@pytest.mark.parametrize(
    ("x", "y", "axis", "expected"),
    [
        ("float32[n,3,h,w]", "float32[n,3,h,w]", -1, "float32[n,3,h,w]"),
        ("float32[n,3,h,w]", "float32[3]", 1, "float32[n,3,h,w]"),
        ("float32[n,3,h,w]", "float32[n,3,1,1]", -1, "float32[n,3,h,w]"),
        ("float32[n,3,h,w]", "float32[h,w,?]", 2, "float32[n,3,h,w]"),
        ("float32[1,3]", "float32[n,1]", -1, "float32[n,3]"),
        ("float32[n,3]", "float32[m,3]", -1, "float32[?,3]"),
        ("float32[n,3]", "float32[5,3]", -1, "float32[5,3]"),
        ("float32[]", "float32[n]", -1, "float32[n]"),
        ("float32[*]", "float32[n]", -1, "float32[*]"),
        ("float32[n]", "float32[*]", -1, "float32[*]"),
    ],
)
@pytest.mark.parametrize("op", ["elementwise_add", "elementwise_mod", "fusion_elementwise_mul_activation"])
def test_arithmetic_broadcasts_at_an_axis(op: str, x: str, y: str, axis: int, expected: str) -> None:
    assert inferred(op, {"X": x, "Y": y}, {"axis": axis}) == expected


def test_an_error_names_the_op() -> None:
    with pytest.raises(GraphError, match=r"elementwise_add: shape \[3\] does not fit at axis 2 of 2 axes"):
        inferred("elementwise_add", {"X": "float32[2,3]", "Y": "float32[3]"}, {"axis": 2})


@pytest.mark.parametrize(
    ("op", "inputs", "expected"),
    [
        ("atan2", {"X1": "float32[n,1]", "X2": "float32[3]"}, "float32[n,3]"),
        ("atan2", {"X1": "int32[2]", "X2": "int32[2]"}, "float64[2]"),
        ("atan2", {"X1": "int32[*]", "X2": "int32[2]"}, "float64[*]"),
        (
            "axpy",
            {"Scale": "float32[n,3]", "X": "float32[n,3,h]", "Bias": "float32[n,3,h]"},
            "float32[n,3,h]",
        ),
        ("sum", {"X": ["float32[n,3]", "float32[2,3]", "float32[*]"]}, "float32[2,3]"),
        ("sum", {"X": ["int64[n]"]}, "int64[n]"),
    ],
)
def test_sum_axpy_and_where_have_separate_rules(
    op: str, inputs: dict[str, str | list[str]], expected: str
) -> None:
    assert inferred(op, dict(inputs)) == expected


@pytest.mark.parametrize("shape", ["float32[n,3]", "float32[*]", "float32[]"])
@pytest.mark.parametrize("op", ["equal", "less_than", "logical_and"])
def test_comparisons_and_logic_return_booleans(op: str, shape: str) -> None:
    assert inferred(op, {"X": shape, "Y": shape}) == shape.replace("float32", "bool")


def test_comparisons_broadcast_at_an_axis() -> None:
    assert inferred("less_equal", {"X": "float32[n,3,h]", "Y": "float32[3]"}, {"axis": 1}) == "bool[n,3,h]"


def test_a_comparison_returns_the_type_of_its_fused_cast() -> None:
    attrs = {"out_dtype": DType.INT32.code}

    assert inferred("greater_than", {"X": "float32[n]", "Y": "float32[1]"}, dict(attrs)) == "int32[n]"


@pytest.mark.parametrize("op", ["logical_not", "isnan_v2"])
def test_predicates_return_booleans(op: str) -> None:
    assert inferred(op, {"X": "float32[n,2]"}) == "bool[n,2]"


@pytest.mark.parametrize("dtype", ["bool", "int64", "uint8"])
def test_bit_operations_keep_the_dtype(dtype: str) -> None:
    assert inferred("bitwise_xor", {"X": f"{dtype}[n,1]", "Y": f"{dtype}[3]"}) == f"{dtype}[n,3]"
    assert inferred("bitwise_not", {"X": f"{dtype}[n]"}) == f"{dtype}[n]"


def test_bit_operations_refuse_real_numbers() -> None:
    with pytest.raises(GraphError, match="bitwise_and: slot X: expected bool/int16"):
        inferred("bitwise_and", {"X": "float32[2]", "Y": "float32[2]"})
