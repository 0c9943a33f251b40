"""Errors of `infer` for inputs that a rule cannot handle."""

from __future__ import annotations

import dataclasses
import re

import pytest

from lite.errors import GraphError
from lite.ir.types import DType
from lite.ops import Meta, get_schema, infer
from lite.ops.view import Inferred, OpView
from tests.lite.ops.inferred import inferred

X = Meta(DType.FLOAT32, (2, 3))


@pytest.mark.parametrize("error", [IndexError, KeyError, ValueError, TypeError, ZeroDivisionError])
def test_an_error_in_a_rule_names_op_and_inputs(error: type[Exception]) -> None:
    def stumble(_: OpView) -> Inferred:
        raise error("over a stone")

    schema = dataclasses.replace(get_schema("relu"), infer=stumble)
    with pytest.raises(GraphError, match=r"relu\(X=float32\[2,3\]\) cannot be inferred: .*over a stone"):
        infer(schema, {"X": [X]}, {}, {"Out": 1})


@pytest.mark.parametrize(
    ("op", "inputs", "attrs", "message"),
    [
        (
            "conv2d_transpose",
            {"Input": "float32[1,2,4,4]", "Filter": "float32[2,1,3,3]"},
            {"paddings": [9, 9]},
            "conv2d_transpose(Input=float32[1,2,4,4], Filter=float32[2,1,3,3]): its output Output would be",
        ),
        ("tile", {"X": "float32[2]"}, {"repeat_times": [-2]}, "tile(X=float32[2]): its output Out would be"),
        ("slice", {"Input": "float32[]"}, {"axes": [0], "starts": [0], "ends": [1]}, "slice"),
    ],
)
def test_a_negative_size_is_refused(
    op: str, inputs: dict[str, str | list[str]], attrs: dict[str, list[int]], message: str
) -> None:
    with pytest.raises(GraphError, match=re.escape(message)):
        inferred(op, inputs, attrs)


@pytest.mark.parametrize(
    ("op", "inputs", "outputs", "dtype"),
    [
        ("where", {"Condition": "bool[*]", "X": "float32[*]", "Y": "float32[2]"}, "Out", "float32"),
        ("where", {"Condition": "bool[2]", "X": "int64[2]", "Y": "int64[*]"}, "Out", "int64"),
        ("less_than", {"X": "float32[*]", "Y": "float32[2]"}, "Out", "bool"),
        ("equal", {"X": "int64[]", "Y": "int64[*]"}, "Out", "bool"),
        ("shape", {"Input": "float32[*]"}, "Out", "int32"),
        ("gather", {"X": "float32[*]", "Index": "int64[2]"}, "Out", "float32"),
    ],
)
def test_an_unknown_rank_leaves_the_dtype_known(
    op: str, inputs: dict[str, str], outputs: str, dtype: str
) -> None:
    assert inferred(op, inputs, {}, {outputs: 1}).startswith(f"{dtype}[")


def test_a_dtype_that_no_rank_gives_is_not_guessed() -> None:
    schema = get_schema("while")
    condition = Meta(DType.BOOL, (1,))

    assert infer(schema, {"Condition": [condition]}, schema.attr_values({}), {"Out": 1}) == {}
