"""Regular expressions that cannot keep Python's `re` busy for ever."""

from __future__ import annotations

import functools
import re

MAX_STEPS = 10**9
"""The most steps of one match, about ten seconds."""

_TOKEN = re.compile(
    r"\\(?P<escaped>.)|\[\^?\]?(?:\\.|[^\]\\])*\]|(?P<special>\(\?(?:<?[=!]|P=|\()|[()|])|.", re.DOTALL
)
_REPEAT = re.compile(r"(?:[*+?]|\{(?P<least>\d*)(?P<comma>,)?(?P<most>\d*)\})[?+]?")


@functools.lru_cache(maxsize=64)
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern; raises `ValueError` for an invalid one, and for what RE2 does not have or `re` is slow at.

    RE2 has no references to groups and no conditions on the text before or after; its classes such as ``\\w``
    are those of ASCII.  `re` may take a time that is exponential in the length of the text where a group is
    repeated that contains a repetition or an alternative, such as ``(a+)+`` or ``(a|b)*``.
    """
    try:
        expression = re.compile(pattern, re.ASCII)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"pattern: expected a regular expression, got {pattern!r}: {error}") from error
    repetitions(pattern)
    return expression


def check_time(pattern: str, length: int) -> None:
    """Raise `ValueError` if a match of a text of this length could take more than `MAX_STEPS`."""
    steps = (length + 1) ** max(repetitions(pattern), 1)
    if steps > MAX_STEPS:
        raise ValueError(
            f"pattern: {pattern!r} may take {steps:.0e} steps on a text of {length} characters; "
            f"the limit is {MAX_STEPS:.0e}"
        )


@functools.lru_cache(maxsize=64)
def repetitions(pattern: str) -> int:
    """How many repetitions without a fixed count follow each other; raises `ValueError` for nested ones."""
    total, place = 0, 0
    is_complex = [False]
    while place < len(pattern):
        token = _TOKEN.match(pattern, place)
        assert token is not None
        special, escaped = token["special"] or "", token["escaped"] or ""
        if special.startswith("(?") or escaped.isdigit():
            raise ValueError(f"pattern: {pattern!r} has {token[0]!r}, which RE2 does not have")
        is_group_end = special == ")" and len(is_complex) > 1
        body_is_complex = is_complex.pop() if is_group_end else False
        if special == "(":
            is_complex.append(False)
        is_complex[-1] |= special == "|" or body_is_complex
        place = token.end()
        repeat = _REPEAT.match(pattern, place) if special not in ("(", "|") else None
        if repeat is None:
            continue
        place = repeat.end()
        is_fixed = repeat["least"] and (not repeat["comma"] or repeat["least"] == repeat["most"])
        is_optional = repeat[0][0] == "?"
        if body_is_complex and not is_optional:
            raise ValueError(
                f"pattern: {pattern!r} repeats a group that contains a repetition or an alternative; "
                "the limit is one level of repetition"
            )
        total += not is_fixed
        is_complex[-1] |= not is_fixed
    return total
