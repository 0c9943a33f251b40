"""cos_sim gives one number for each row."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from tests.lite.ops.inferred import inferred

ALL = {"Out": 1, "XNorm": 1, "YNorm": 1}


@pytest.mark.parametrize(
    ("x", "y", "wanted"),
    [
        ("float32[n,8]", "float32[1,8]", "float32[n,1] float32[n,1] float32[1,1]"),
        ("float32[3,2,4]", "float32[3,2,4]", "float32[3,1] float32[3,1] float32[3,1]"),
        ("float32[*]", "float32[1,8]", "float32[*] float32[*] float32[*]"),
    ],
)
def test_rows(x: str, y: str, wanted: str) -> None:
    assert inferred("cos_sim", {"X": x, "Y": y}, outputs=ALL) == wanted


def test_numbers_of_rows_differ() -> None:
    with pytest.raises(GraphError, match="cos_sim: Y: expected 1 row or as many as X, 3, got 2"):
        inferred("cos_sim", {"X": "float32[3,2]", "Y": "float32[2,2]"})
