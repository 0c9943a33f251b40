"""string_concat, string_split, string_normalizer and regex_full_match on the host: arrays of Python texts."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("string_concat")
def string_concat(X: Array, Y: Array) -> Array:
    """Each text of `X` with that of `Y` behind it; the arrays broadcast."""
    first, second = np.broadcast_arrays(X, Y)
    return _texts([a + b for a, b in zip(first.ravel(), second.ravel(), strict=True)], first.shape)


@kernel("string_split")
def string_split(X: Array, *, delimiter: str, maxsplit: int) -> tuple[Array, Array]:
    """The parts of each text in a new last axis, filled with empty texts, and how many there are.

    Without a delimiter, at runs of white space.
    """
    parts = [text.split(delimiter or None, maxsplit) for text in X.ravel()]
    most = max(map(len, parts), default=0)
    filled = [part for found in parts for part in (*found, *[""] * (most - len(found)))]
    counts = np.array([len(found) for found in parts], np.int64).reshape(X.shape)
    return _texts(filled, (*X.shape, most)), counts


@kernel("string_normalizer")
def string_normalizer(
    X: Array, *, case_change_action: str, is_case_sensitive: bool, stopwords: Sequence[str]
) -> Array:
    """`X` ``[C]`` or ``[1, C]`` without stopwords, in the case asked for; one empty text if none stay."""
    change = {"LOWER": str.lower, "UPPER": str.upper}.get(case_change_action, str)
    folded = str if is_case_sensitive else str.lower
    unwanted = {folded(word) for word in stopwords}
    kept = [change(text) for text in X.ravel() if folded(text) not in unwanted]
    return _texts(kept or [""], (*X.shape[:-1], max(len(kept), 1)))


@kernel("regex_full_match")
def regex_full_match(X: Array, *, pattern: str) -> Array:
    """Which texts the regular expression matches from end to end."""
    try:
        expression = re.compile(pattern)
    except re.error as error:
        raise ValueError(f"pattern: expected a regular expression, got {pattern!r}: {error}") from error
    found = [expression.fullmatch(text) is not None for text in X.ravel()]
    return np.array(found, bool).reshape(X.shape)


def _texts(items: Sequence[str], shape: Sequence[int]) -> Array:
    array = np.empty(len(items), object)
    array[:] = items
    return array.reshape(tuple(shape))
