"""The letters of einsum's equations."""

from __future__ import annotations

import pytest

from lite.ops.einsum_terms import expanded


@pytest.mark.parametrize(
    ("equation", "ranks", "operands", "result"),
    [
        ("ij,jk->ik", [2, 2], ["ij", "jk"], "ik"),
        ("...ij,...jk->...ik", [4, 4], ["abij", "abjk"], "abik"),
        ("...ij,...jk->...ik", [4, 3], ["abij", "bjk"], "abik"),
        ("...ij,jk->...ik", [4, 2], ["abij", "jk"], "abik"),
        ("a...,...a", [3, 2], ["abc", "ca"], "bc"),
        ("...i->...", [1], ["i"], ""),
    ],
)
def test_an_ellipsis_becomes_letters(
    equation: str, ranks: list[int], operands: list[str], result: str
) -> None:
    assert expanded(equation, ranks) == (operands, result)
