"""softmax and log_softmax keep shape and dtype."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from tests.lite.ops.inferred import inferred


@pytest.mark.parametrize("op", ["softmax", "log_softmax"])
@pytest.mark.parametrize("shape", ["float16[n,3,?]", "float32[*]", "float32[]"])
def test_same_as_x(op: str, shape: str) -> None:
    assert inferred(op, {"X": shape}) == shape


@pytest.mark.parametrize("axis", [3, -4])
def test_axis_outside(axis: int) -> None:
    with pytest.raises(GraphError, match=r"softmax: attribute axis: expected an axis of float32\[n,3,h\]"):
        inferred("softmax", {"X": "float32[n,3,h]"}, {"axis": axis})
