"""Shape rules of the ops of quantised numbers."""

from __future__ import annotations

import re

import pytest

from lite.errors import GraphError
from lite.ir.program import AttrValue
from tests.lite.ops.inferred import inferred

Inputs = dict[str, str | list[str]]


@pytest.mark.parametrize("numbers", ["[]", "[1]", "[1,1]"])
def test_the_axis_is_ignored_for_one_scale(numbers: str) -> None:
    inputs: Inputs = {"X": "int32[16]", "Scale": f"float32{numbers}", "ZeroPoint": f"int32{numbers}"}

    assert inferred("affine_dequantize", inputs, {"axis": 1}) == "float32[16]"


@pytest.mark.parametrize(
    ("scale", "attrs"),
    [
        ("float32[3]", {"axis": 1}),
        ("float32[3]", {"axis": -1}),
        ("float32[2]", {"axis": 0}),
        ("float32[n]", {"axis": 5}),
        ("float32[2,2]", {"axis": 1, "block_size": 2}),
    ],
)
def test_scales_along_an_axis_are_accepted(scale: str, attrs: dict[str, AttrValue]) -> None:
    attrs = {**attrs, "dtype": 21}

    assert inferred("affine_quantize", {"X": "float32[2,3]", "Scale": scale}, attrs) == "int8[2,3]"


@pytest.mark.parametrize(
    ("inputs", "attrs", "reason"),
    [
        ({"Scale": "float32[3]"}, {"axis": 2}, "attribute axis: expected an axis of int8[2,3], got 2"),
        ({"Scale": "float32[3]"}, {"axis": -3}, "attribute axis: expected an axis of int8[2,3], got -3"),
        (
            {"Scale": "float32[3]"},
            {"axis": 0},
            "slot Scale: expected 1 element, or 2, one per slice of axis 0 of int8[2,3], got float32[3]",
        ),
        (
            {"Scale": "float32[]", "ZeroPoint": "int8[2]"},
            {"axis": 1},
            "slot ZeroPoint: expected the shape of Scale, float32[], got int8[2]",
        ),
        (
            {"Scale": "float32[2,3]"},
            {"axis": 1, "block_size": 2},
            "slot Scale: expected the shape [2,2], one number per block, got float32[2,3]",
        ),
    ],
)
def test_scales_that_do_not_fit_are_refused(inputs: Inputs, attrs: dict[str, AttrValue], reason: str) -> None:
    with pytest.raises(GraphError, match=re.escape(reason)):
        inferred("affine_dequantize", {"X": "int8[2,3]", **inputs}, attrs)
