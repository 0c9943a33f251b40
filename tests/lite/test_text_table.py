"""Tables as plain text."""

from __future__ import annotations

from lite.text_table import text_table


def test_numbers_are_right_aligned_without_trailing_blanks() -> None:
    rows = [("relu", 1, 0.25, None), ("elementwise_add", 10, 1234.5678, 7)]
    assert text_table(("type", "calls", "ms", "n"), rows) == (
        "type             calls       ms  n\n"
        "relu                 1     0.25  -\n"
        "elementwise_add     10  1234.57  7"
    )


def test_a_column_with_a_string_is_left_aligned() -> None:
    assert text_table(("a", "b"), [(1, "x"), ("one", "yy")]) == "a    b\n1    x\none  yy"


def test_a_table_without_rows_has_a_header_only() -> None:
    assert text_table(("a", "bc"), []) == "a  bc"
