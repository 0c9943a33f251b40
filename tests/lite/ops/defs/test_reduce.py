"""Shapes of reductions, with sizes that are not known yet."""

from __future__ import annotations

import pytest

from lite.ir.program import AttrValue
from lite.ir.types import DType
from tests.lite.ops.inferred import inferred


@pytest.mark.parametrize(
    ("x", "attrs", "wanted"),
    [
        ("float32[n,3,h]", {}, "float32[3,h]"),
        ("float32[n,3,h]", {"dim": [-1]}, "float32[n,3]"),
        ("float32[n,3,h]", {"dim": [1, 2], "keep_dim": True}, "float32[n,1,1]"),
        ("float32[n,3,h]", {"dim": []}, "float32[]"),
        ("float32[n,3,h]", {"reduce_all": True, "keep_dim": True}, "float32[1,1,1]"),
        ("float32[*]", {"out_dtype": DType.INT64.code}, "int64[*]"),
        ("int32[n]", {"out_dtype": DType.FLOAT32.code}, "float32[]"),
        ("float32[]", {"dim": [0], "keep_dim": True}, "float32[]"),
    ],
)
@pytest.mark.parametrize("op", ["reduce_sum", "reduce_max", "reduce_mean"])
def test_reductions(op: str, x: str, attrs: dict[str, AttrValue], wanted: str) -> None:
    assert inferred(op, {"X": x}, attrs) == wanted


@pytest.mark.parametrize("op", ["arg_max", "arg_min"])
@pytest.mark.parametrize(
    ("x", "attrs", "wanted"),
    [
        ("float32[n,3,h]", {}, "int64[n,3]"),
        ("float32[n,3,h]", {"axis": 0, "keepdims": True, "dtype": DType.INT32.code}, "int32[1,3,h]"),
        ("float32[n,3,h]", {"flatten": True}, "int64[]"),
        ("float32[*]", {}, "int64[*]"),
        ("float32[]", {}, "int64[]"),
    ],
)
def test_searches(op: str, x: str, attrs: dict[str, AttrValue], wanted: str) -> None:
    assert inferred(op, {"X": x}, attrs) == wanted


@pytest.mark.parametrize("x", ["float32[n,3]", "float32[*]", "float32[]"])
def test_mean(x: str) -> None:
    assert inferred("mean", {"X": x}) == "float32[]"
