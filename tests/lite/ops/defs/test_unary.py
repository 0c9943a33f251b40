"""Elementwise functions of one tensor keep its shape."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from lite.ir.types import DType
from tests.lite.ops.inferred import inferred


@pytest.mark.parametrize("op", ["exp", "abs", "scale", "clip", "pow", "increment", "dropout"])
@pytest.mark.parametrize("shape", ["float32[n,3,?]", "float32[]", "float32[*]"])
def test_same_as_x(op: str, shape: str) -> None:
    assert inferred(op, {"X": shape}) == shape


@pytest.mark.parametrize("op", ["abs", "scale", "clip", "pow", "increment", "round"])
def test_integers_stay_integers(op: str) -> None:
    assert inferred(op, {"X": "int64[n]"}) == "int64[n]"


@pytest.mark.parametrize("shape", ["float32[n,3]", "float32[*]", "float32[]"])
def test_cast(shape: str) -> None:
    assert inferred("cast", {"X": shape}, {"out_dtype": DType.INT64.code}) == shape.replace(
        "float32", "int64"
    )


def test_cast_to_nothing() -> None:
    with pytest.raises(GraphError, match="cast: attribute out_dtype is missing"):
        inferred("cast", {"X": "float32[2]"})
    with pytest.raises(GraphError, match="99 is not the number of an element type"):
        inferred("cast", {"X": "float32[2]"}, {"out_dtype": 99})


def test_mask_of_dropout() -> None:
    assert (
        inferred("dropout", {"X": "float32[n,3]"}, outputs={"Out": 1, "Mask": 1}) == "float32[n,3] uint8[n,3]"
    )


def test_unknown_dropout() -> None:
    with pytest.raises(GraphError, match="dropout: attribute dropout_implementation: expected one of"):
        inferred("dropout", {"X": "float32[2]"}, {"dropout_implementation": "none"})
