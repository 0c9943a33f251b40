"""string_concat, string_split, string_normalizer and regex_full_match, on object arrays of strings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.host.text.regular_expressions import check_time, compiled
from lite.plugin.kernel import Array, kernel

_MOST_CHARACTERS = 1 << 26
"""A chain of ops may double its strings with each op."""

_MOST_PARTS = 1 << 24
"""A long string among many pads the parts of all."""


@kernel("string_concat")
def string_concat(X: Array, Y: Array) -> Array:
    """ONNX StringConcat: each string of X followed by a string of Y; the arrays broadcast."""
    first, second = np.broadcast_arrays(X, Y)
    count = sum(map(len, first.ravel())) + sum(map(len, second.ravel()))
    if count > _MOST_CHARACTERS:
        raise ValueError(f"expected at most {_MOST_CHARACTERS:,} characters in all strings, got {count:,}")
    return _strings([a + b for a, b in zip(first.ravel(), second.ravel(), strict=True)], first.shape)


@kernel("string_split")
def string_split(X: Array, *, delimiter: str, maxsplit: int) -> tuple[Array, Array]:
    """ONNX StringSplit: the parts of each string in a new last axis, padded with "", and their number.

    An empty `delimiter` splits at runs of white space.
    """
    parts = [text.split(delimiter or None, maxsplit) for text in X.ravel()]
    most = max(map(len, parts), default=0)
    if most * len(parts) > _MOST_PARTS:
        raise ValueError(f"expected at most {_MOST_PARTS:,} parts of strings, got {most * len(parts):,}")
    padded = [part for each in parts for part in (*each, *[""] * (most - len(each)))]
    counts = np.array([len(each) for each in parts], np.int64).reshape(X.shape)
    return _strings(padded, (*X.shape, most)), counts


@kernel("string_normalizer")
def string_normalizer(
    X: Array, *, case_change_action: str, is_case_sensitive: bool, stopwords: Sequence[str]
) -> Array:
    """ONNX StringNormalizer: ``X[C]`` or ``[1, C]`` without stop words, in another case; else one ""."""
    change = {"LOWER": str.lower, "UPPER": str.upper}.get(case_change_action, str)
    folded = str if is_case_sensitive else str.lower
    dropped = {folded(word) for word in stopwords}
    kept = [change(text) for text in X.ravel() if folded(text) not in dropped]
    return _strings(kept or [""], (*X.shape[:-1], max(len(kept), 1)))


@kernel("regex_full_match")
def regex_full_match(X: Array, *, pattern: str) -> Array:
    """ONNX RegexFullMatch: whether the regular expression matches each whole string.

    ONNX means RE2, whose time is linear.  Python's `re` tries one possibility after the other, so patterns
    and strings that could take it too long raise `ValueError`; see `regular_expressions`.
    """
    expression = compiled(pattern)
    check_time(pattern, max(map(len, X.ravel()), default=0))
    matches = [expression.fullmatch(text) is not None for text in X.ravel()]
    return np.array(matches, bool).reshape(X.shape)


def _strings(items: Sequence[str], shape: Sequence[int]) -> Array:
    array = np.empty(len(items), object)
    array[:] = items
    return array.reshape(tuple(shape))
