"""Comparisons and logic give booleans, bit operations keep the dtype."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from lite.ir.types import DType
from tests.lite.ops.inferred import inferred


@pytest.mark.parametrize("shape", ["float32[n,3]", "float32[*]", "float32[]"])
@pytest.mark.parametrize("op", ["equal", "less_than", "logical_and"])
def test_booleans(op: str, shape: str) -> None:
    assert inferred(op, {"X": shape, "Y": shape}) == shape.replace("float32", "bool")


def test_comparison_at_axis() -> None:
    assert inferred("less_equal", {"X": "float32[n,3,h]", "Y": "float32[3]"}, {"axis": 1}) == "bool[n,3,h]"


def test_fused_cast() -> None:
    attrs = {"out_dtype": DType.INT32.code}

    assert inferred("greater_than", {"X": "float32[n]", "Y": "float32[1]"}, dict(attrs)) == "int32[n]"


@pytest.mark.parametrize("op", ["logical_not", "isnan_v2"])
def test_one_operand(op: str) -> None:
    assert inferred(op, {"X": "float32[n,2]"}) == "bool[n,2]"


@pytest.mark.parametrize("dtype", ["bool", "int64", "uint8"])
def test_bits(dtype: str) -> None:
    assert inferred("bitwise_xor", {"X": f"{dtype}[n,1]", "Y": f"{dtype}[3]"}) == f"{dtype}[n,3]"
    assert inferred("bitwise_not", {"X": f"{dtype}[n]"}) == f"{dtype}[n]"


def test_bits_of_fractions() -> None:
    with pytest.raises(GraphError, match="bitwise_and: slot X: expected bool/int16"):
        inferred("bitwise_and", {"X": "float32[2]", "Y": "float32[2]"})
