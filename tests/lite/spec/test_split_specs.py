"""Lists of specs in one text."""

from __future__ import annotations

import pytest

from lite.errors import ConfigError
from lite.spec.grammar import split_specs


@pytest.mark.parametrize(
    ("text", "specs"),
    [
        ("", []),
        ("  ", []),
        ("a", ["a"]),
        (" a , b{k = 1} ,c", ["a", "b{k = 1}", "c"]),
        ("a{k=[1,2],n=b{x=3,y=4}},c", ["a{k=[1,2],n=b{x=3,y=4}}", "c"]),
        ("a{k=\"},{\",n=',\\''},b", ["a{k=\"},{\",n=',\\''}", "b"]),
    ],
)
def test_commas_outside_braces_separate(text: str, specs: list[str]) -> None:
    assert split_specs(text) == specs


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,", "expected a name:\n  a,\n    ^"),
        (",a", "expected a name:\n  ,a\n  ^"),
        ("a b", "expected ',' or the end of the list after a spec:\n  a b\n    ^"),
        ("a,b{k=1", "expected ',' or '}' after an option:\n  a,b{k=1\n         ^"),
    ],
)
def test_errors_point_into_the_whole_text(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        split_specs(text)
    assert str(caught.value) == message
