"""Casts after casts that lose nothing are merged or removed."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged

PASS = "redundant_cast_eliminate_pass"


def test_a_wider_type_between_two_casts_is_skipped() -> None:
    check(
        PASS,
        """
        graph main(%x: int32[2]) {
          %a = cast(X=%x) {out_dtype=3} : int64[2]
          %y = cast(X=%a) {out_dtype=5} : float32[2]
          return out=%y
        }
        """,
        """
        graph main(%x: int32[2]) {
          %y = cast(X=%x) {out_dtype=5, in_dtype=2} : float32[2]
          return out=%y
        }
        """,
    )


def test_casts_to_a_wider_type_and_back_are_removed() -> None:
    check(
        PASS,
        """
        graph main(%x: bool[2]) {
          %a = cast(X=%x) {out_dtype=5} : float32[2]
          %b = cast(X=%a) {out_dtype=0} : bool[2]
          %y = logical_not(X=%b) : bool[2]
          return %y, %a
        }
        """,
        """
        graph main(%x: bool[2]) {
          %a = cast(X=%x) {out_dtype=5} : float32[2]
          %y = logical_not(X=%x) : bool[2]
          return %y, %a
        }
        """,
    )


@pytest.mark.parametrize(
    ("source", "code", "between"),
    [
        ("int64", 2, "int32"),
        ("int64", 5, "float32"),
        ("float32", 4, "float16"),
        ("float32", 22, "bfloat16"),
        ("int32", 0, "bool"),
        ("uint8", 21, "int8"),
        ("int32", 3, "int64[2] quant([0.5], [0], -1, int8)"),
    ],
)
def test_casts_that_lose_precision_are_kept(source: str, code: int, between: str) -> None:
    kept = between if "[" in between else f"{between}[2]"
    check_unchanged(
        PASS,
        f"""
        graph main(%x: {source}[2]) {{
          %a = cast(X=%x) {{out_dtype={code}}} : {kept}
          %y = cast(X=%a) {{out_dtype=6}} : float64[2]
          return %y
        }}
        """,
    )
