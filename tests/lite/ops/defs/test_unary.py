"""Elementwise functions of one tensor keep its shape."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from lite.ir.types import DType
from tests.lite.ops.inferred import inferred


@pytest.mark.parametrize("op", ["exp", "abs", "scale", "clip", "pow", "increment", "dropout"])
@pytest.mark.parametrize("shape", ["float32[n,3,?]", "float32[]", "float32[*]"])
def test_functions_keep_the_shape(op: str, shape: str) -> None:
    assert inferred(op, {"X": shape}) == shape


@pytest.mark.parametrize("op", ["abs", "scale", "clip", "pow", "increment", "round"])
def test_functions_of_integers_return_integers(op: str) -> None:
    assert inferred(op, {"X": "int64[n]"}) == "int64[n]"


@pytest.mark.parametrize("shape", ["float32[n,3]", "float32[*]", "float32[]"])
def test_cast_keeps_the_shape(shape: str) -> None:
    assert inferred("cast", {"X": shape}, {"out_dtype": DType.INT64.code}) == shape.replace(
        "float32", "int64"
    )


def test_cast_refuses_a_missing_or_unknown_type() -> None:
    with pytest.raises(GraphError, match="cast: attribute out_dtype is missing"):
        inferred("cast", {"X": "float32[2]"})
    with pytest.raises(GraphError, match="99 is not the number of an element type"):
        inferred("cast", {"X": "float32[2]"}, {"out_dtype": 99})


def test_the_mask_of_dropout_is_uint8() -> None:
    assert (
        inferred("dropout", {"X": "float32[n,3]"}, outputs={"Out": 1, "Mask": 1}) == "float32[n,3] uint8[n,3]"
    )


def test_dropout_refuses_an_unknown_implementation() -> None:
    with pytest.raises(GraphError, match="dropout: attribute dropout_implementation: expected one of"):
        inferred("dropout", {"X": "float32[2]"}, {"dropout_implementation": "none"})
