"""Tables that fit a width."""

from __future__ import annotations

import pytest

from lite.tools.table import fitted_table

COLUMNS = ("name", "n", "why")
ROWS = [
    ("conv2d_0.tmp_0", "1", "-"),
    ("x", "200", "its region has fewer ops than the Config asks for, so the host runs it"),
]


def test_a_table_that_fits_is_whole() -> None:
    table = fitted_table(COLUMNS, ROWS, [1], 100)
    assert table.left_out == []
    assert table.lines == [
        "name              n  why",
        "conv2d_0.tmp_0    1  -",
        "x               200  its region has fewer ops than the Config asks for, so the host runs it",
    ]
    assert table == fitted_table(COLUMNS, ROWS, [1], None)


def test_sentences_wrap_below_themselves() -> None:
    assert fitted_table(COLUMNS, ROWS, [1], 60).lines == [
        "name              n  why",
        "conv2d_0.tmp_0    1  -",
        "x               200  its region has fewer ops than the",
        "                     Config asks for, so the host runs it",
    ]


@pytest.mark.parametrize(
    ("drop", "left_out"), [((), ["why"]), (("n",), ["n"]), (("n", "why"), ["n"]), (("other",), ["why"])]
)
def test_columns_are_left_out_by_rank(drop: tuple[str, ...], left_out: list[str]) -> None:
    table = fitted_table(COLUMNS, ROWS, [1], 44, drop)
    assert table.left_out == left_out
    assert max(map(len, table.lines)) <= 44


def test_names_are_never_broken() -> None:
    table = fitted_table(COLUMNS, [("a" * 30, "1", "b" * 30)], [1], 20)
    assert (table.lines, table.left_out) == (["name", "a" * 30], ["n", "why"])


def test_a_long_word_of_a_sentence_keeps_its_column_wide() -> None:
    table = fitted_table(("a", "b"), [("x", f"see {'c' * 40} for more of it")], [], 50)
    assert [line for line in table.lines if "c" * 40 in line] != []
    assert max(map(len, table.lines)) <= 50


def test_a_table_may_have_no_rows() -> None:
    assert fitted_table(("a", "b"), [], [], 80).lines == ["a  b"]
