"""Ops on strings, element by element."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lite.errors import ExecutionError
from lite.ir.program import AttrValue
from lite.ir.types import Array
from tests.kernels.host.checked import checked, same


def strings(items: object) -> Array:
    return np.array(items, object)


def test_concat_broadcasts() -> None:
    x, y = strings([["a"], ["bc"]]), strings(["", "d", "é"])

    (found,) = checked("string_concat", {"X": x, "Y": y})

    assert found.tolist() == [["a", "ad", "aé"], ["bc", "bcd", "bcé"]]


def test_concat_of_too_many_characters_is_refused() -> None:
    text = strings("a" * (1 << 25))
    with pytest.raises(ExecutionError, match="at most 67,108,864 characters in all strings, got 67,108,865"):
        checked("string_concat", {"X": text, "Y": strings("a" * (1 + (1 << 25)))})


def test_concat_of_no_strings_is_empty() -> None:
    assert checked("string_concat", {"X": strings([]), "Y": strings("a")})[0].shape == (0,)


@pytest.mark.parametrize(
    ("delimiter", "most", "parts"),
    [
        ("", -1, [["a", "b,c", "d"], ["e"], []]),
        (",", -1, [[" a b", "c  d"], ["e"], [""]]),
        ("", 1, [["a", "b,c  d"], ["e"], []]),
        (",", 0, [[" a b,c  d"], ["e"], [""]]),
    ],
)
def test_split_pads_with_empty_strings(delimiter: str, most: int, parts: list[list[str]]) -> None:
    x = strings([[" a b,c  d", "e", ""]])
    width = max(map(len, parts))

    found, counts = checked(
        "string_split", {"X": x}, {"delimiter": delimiter, "maxsplit": most}, {"Out": 1, "Count": 1}
    )

    assert found.tolist() == [[[*items, *[""] * (width - len(items))] for items in parts]]
    same(counts, np.array([[len(items) for items in parts]]))


def test_split_into_too_many_parts_is_refused() -> None:
    texts = strings(["a " * 2000, *["b"] * 9999])
    with pytest.raises(ExecutionError, match="at most 16,777,216 parts of strings, got 20,000,000"):
        checked("string_split", {"X": texts}, {"delimiter": "", "maxsplit": -1}, {"Out": 1, "Count": 1})


@pytest.mark.parametrize(
    ("change", "exact", "stopwords"),
    list(itertools.product(["NONE", "LOWER", "UPPER"], [False, True], [[], ["b"], ["A", "b", "ß", "a"]])),
)
@pytest.mark.parametrize("rows", [1, 0])
def test_normalizer_drops_stop_words(change: str, exact: bool, stopwords: list[str], rows: int) -> None:
    words = ["a", "B", "ß", "A"]
    attrs: dict[str, AttrValue] = {
        "case_change_action": change,
        "is_case_sensitive": exact,
        "stopwords": stopwords,
    }
    wanted = []
    for word in words:
        if any(word == stop or (not exact and word.lower() == stop.lower()) for stop in stopwords):
            continue
        wanted.append(word.lower() if change == "LOWER" else word.upper() if change == "UPPER" else word)

    (found,) = checked("string_normalizer", {"X": strings([words] if rows else words)}, attrs)

    assert found.tolist() == ([wanted or [""]] if rows else wanted or [""])


def test_full_match_takes_whole_strings() -> None:
    x = strings([["ab", "abb"], ["xab", ""]])

    (found,) = checked("regex_full_match", {"X": x}, {"pattern": "ab*|"})

    same(found, np.array([[True, True], [False, True]]))


def test_an_invalid_pattern_is_refused() -> None:
    with pytest.raises(ExecutionError, match=r"regex_full_match.*expected a regular expression, got '\('"):
        checked("regex_full_match", {"X": strings(["a"])}, {"pattern": "("})
