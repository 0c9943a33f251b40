"""Shapes and dtypes of reductions, searches, running sums."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
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
def test_reductions_drop_or_keep_their_axes(
    op: str, x: str, attrs: dict[str, AttrValue], wanted: str
) -> None:
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
def test_searches_return_indices(op: str, x: str, attrs: dict[str, AttrValue], wanted: str) -> None:
    assert inferred(op, {"X": x}, attrs) == wanted


@pytest.mark.parametrize("x", ["float32[n,3]", "float32[*]", "float32[]"])
def test_mean_is_a_scalar(x: str) -> None:
    assert inferred("mean", {"X": x}) == "float32[]"


@pytest.mark.parametrize(
    ("x", "flatten", "wanted"),
    [
        ("float32[n,3]", False, "float32[n,3]"),
        ("int64[2,3]", True, "int64[6]"),
        ("float32[n,3]", True, "float32[?]"),
        ("float32[*]", False, "float32[*]"),
        ("float32[]", False, "float32[]"),
        ("float32[]", True, "float32[1]"),
    ],
)
def test_cumsum_keeps_or_flattens_the_shape(x: str, flatten: bool, wanted: str) -> None:
    assert inferred("cumsum", {"X": x}, {"flatten": flatten}) == wanted


def test_cumsum_refuses_an_axis_that_x_lacks() -> None:
    with pytest.raises(GraphError, match=r"cumsum: attribute axis: expected an axis of float32\[n\], got -2"):
        inferred("cumsum", {"X": "float32[n]"}, {"axis": -2})
