"""Shapes of softmax and log_softmax."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from tests.lite.ops.inferred import inferred


@pytest.mark.parametrize("op", ["softmax", "log_softmax"])
@pytest.mark.parametrize("shape", ["float16[n,3,?]", "float32[*]", "float32[]"])
def test_softmax_keeps_shape_and_dtype(op: str, shape: str) -> None:
    assert inferred(op, {"X": shape}) == shape


@pytest.mark.parametrize("axis", [3, -4])
def test_softmax_refuses_an_axis_that_x_lacks(axis: int) -> None:
    with pytest.raises(GraphError, match=r"softmax: attribute axis: expected an axis of float32\[n,3,h\]"):
        inferred("softmax", {"X": "float32[n,3,h]"}, {"axis": axis})
