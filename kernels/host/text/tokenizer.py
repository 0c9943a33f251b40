"""tokenizer: the parts of strings between separators, or those that an expression matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from lite.kernels.host.text.regular_expressions import check_time, compiled
from lite.plugin.kernel import Array, kernel

_START, _END = "\x02", "\x03"

_MOST_TOKENS = 1 << 24
"""A long string among many pads the tokens of all."""


@kernel("tokenizer")
def tokenizer(
    X: Array, *, mark: bool, mincharnum: int, pad_value: str, separators: Sequence[str], tokenexp: str
) -> Array:
    """Tokenizer of ONNX Runtime: ``X[C]`` or ``[N, C]`` → the tokens of each string, in a new last axis.

    Tokens are what lies between matches of each of `separators` in turn; without them, what `tokenexp`
    matches; single characters for one empty separator and for ".".  Shorter ones than `mincharnum` characters
    are dropped.  `pad_value` fills rows; `mark` puts a character 2 before the tokens and a 3 after them.
    """
    texts = X.ravel().tolist()
    split = _splitter(separators, tokenexp, max(map(len, texts), default=0))
    rows = [[token for token in split(text) if len(token) >= mincharnum] for text in texts]
    most = max(map(len, rows), default=0)
    if mark and most:
        rows = [[_START, *row, _END] for row in rows]
        most += 2
    if most * len(rows) > _MOST_TOKENS:
        raise ValueError(f"expected at most {_MOST_TOKENS:,} tokens of strings, got {most * len(rows):,}")
    tokens = np.full((len(rows), most), pad_value, object)
    for number, row in enumerate(rows):
        tokens[number, : len(row)] = row
    return tokens.reshape(*X.shape, most)


def _splitter(separators: Sequence[str], tokenexp: str, length: int) -> Callable[[str], Sequence[str]]:
    """The tokens of a text of at most `length` characters, with those that are too short."""
    if list(separators) == [""] or (not separators and tokenexp == "."):
        return list
    expressions = [compiled(pattern) for pattern in separators or [tokenexp]]
    for expression in expressions:
        check_time(expression.pattern, length if _takes_longest(expression) else length**3)
    if not separators:
        return lambda text: [text[begin:end] for begin, end in _matches(expressions[0], text)]

    def split(text: str) -> list[str]:
        parts = [text]
        for expression in expressions:
            parts = [part for each in parts for part in _between(expression, each) if part]
        return parts

    return split


def _between(expression: re.Pattern[str], text: str) -> list[str]:
    """The parts of a text between matches; the character after an empty match counts as part of it."""
    parts, start = [], 0
    for begin, end in _matches(expression, text):
        parts.append(text[start:begin])
        start = max(end, begin + 1)
    return [*parts, text[start:]]


def _matches(expression: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Begin and end of the leftmost matches, each the longest from its begin, as RE2 finds them here.

    Python's `re` takes the first of several alternatives; only then a longer match is looked for.
    """
    takes_longest, start = _takes_longest(expression), 0
    while start <= len(text):
        found = expression.search(text, start)
        if found is None:
            return
        begin, end = found.span()
        if not takes_longest:
            ends = range(len(text), end, -1)
            end = next((last for last in ends if expression.fullmatch(text, begin, last)), end)
        yield begin, end
        start = max(end, begin + 1)


def _takes_longest(expression: re.Pattern[str]) -> bool:
    """Whether no alternative and no lazy repetition may make `re` take a shorter match than the longest."""
    return re.search(r"\||[*+?}]\?", expression.pattern) is None
