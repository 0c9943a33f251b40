"""cumsum keeps the shape, or flattens it."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from tests.lite.ops.inferred import inferred


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
def test_shape(x: str, flatten: bool, wanted: str) -> None:
    assert inferred("cumsum", {"X": x}, {"flatten": flatten}) == wanted


def test_axis_outside() -> None:
    with pytest.raises(GraphError, match=r"cumsum: attribute axis: expected an axis of float32\[n\], got -2"):
        inferred("cumsum", {"X": "float32[n]"}, {"axis": -2})
