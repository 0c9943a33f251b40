"""Read the lines of partition rules; `partition_rules` documents the syntax."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from lite.dataclass import dataclass
from lite.errors import ConfigError
from lite.ir.types import HOST

_ARROW = "->"
_BLANKS = re.compile(r"[ \t]*")
_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#")
_QUOTED = re.compile(r'"((?:[^"\\]|\\["\\])*)"')
_TYPE = re.compile(r"[\w*?]+")
_NAME = re.compile(r'[^\s,:"-]+')
_DEVICE = re.compile(r"\w+")

Matches = Callable[[str], object]
"""Whether an entry means a name."""


@dataclass(frozen=True)
class RuleEntry:
    """One ``type:inputs:outputs`` with the place for its ops; `text` and `line` are for messages."""

    op: Matches
    inputs: tuple[Matches, ...]
    outputs: tuple[Matches, ...]
    place: str
    text: str
    line: int

    def matches(self, op: str, inputs: Iterable[str], outputs: Iterable[str]) -> bool:
        """Whether an op of this type reads all of the inputs and writes all of the outputs."""
        return bool(self.op(op)) and _all_match(self.inputs, inputs) and _all_match(self.outputs, outputs)


def read_entries(text: str, where: str = "") -> list[RuleEntry]:
    """Every entry of the text; raises `ConfigError` with a message that begins with `where`."""
    return [
        entry
        for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1)
        for entry in _Line(line, number, where).entries()
    ]


class _Line:
    """Reads one line from left to right."""

    def __init__(self, line: str, number: int, where: str) -> None:
        self.line = line
        self.number = number
        self.where = where
        self.at = 0
        self.end = len(self._without_comment().rstrip())

    def entries(self) -> list[RuleEntry]:
        """All entries on the line, which '-' separates, with the place after the arrow."""
        self._skip_blanks()
        if self.at == self.end:
            return []
        entries = [self._entry()]
        while self._skip("-"):
            entries.append(self._entry())
        place = HOST
        if self._skip(_ARROW):
            place = self._word(_DEVICE, "the name of a device or 'host'")[0]
        if self.at < self.end:
            raise self._error("expected '-' and another entry, '->' and a device, or the end of the line")
        return [replace(entry, place=place) for entry in entries]

    def _entry(self) -> RuleEntry:
        self._skip_blanks()
        start = self.at
        op = _matcher(*self._word(_TYPE, "an op type"))
        inputs = self._names() if self._skip(":") else ()
        outputs = self._names() if self._skip(":") else ()
        if self._next_is(":"):
            raise self._error("expected no more than 'type:inputs:outputs'; put names with ':' in quotes")
        return RuleEntry(op, inputs, outputs, HOST, self.line[start : self.at].rstrip(), self.number)

    def _names(self) -> tuple[Matches, ...]:
        self._skip_blanks()
        if self.at == self.end or self.line[self.at] in ":-":
            return ()
        names = [_matcher(*self._word(_NAME, "a name"))]
        while self._skip(","):
            names.append(_matcher(*self._word(_NAME, "a name")))
        return tuple(names)

    def _word(self, pattern: re.Pattern[str], what: str) -> tuple[str, bool]:
        """A word, and whether it was quoted."""
        self._skip_blanks()
        start = self.at
        quoted = _QUOTED.match(self.line, start, self.end)
        word = quoted or pattern.match(self.line, start, self.end)
        if word is None:
            closed = not self._next_is('"')
            raise self._error(f"expected {what}" if closed else "these quotes are not closed")
        self.at = word.end()
        self._skip_blanks()
        if quoted is None:
            return word.group(), False
        return re.sub(r"\\(.)", r"\1", quoted.group(1)), True

    def _next_is(self, sign: str) -> bool:
        return self.line.startswith(sign, self.at, self.end)

    def _skip(self, sign: str) -> bool:
        if not self._next_is(sign) or (sign == "-" and self._next_is(_ARROW)):
            return False
        self.at += len(sign)
        self._skip_blanks()
        return True

    def _skip_blanks(self) -> None:
        blanks = _BLANKS.match(self.line, self.at, self.end)
        self.at = blanks.end() if blanks else self.at

    def _without_comment(self) -> str:
        """The line up to a '#' that begins a word outside quotes."""
        unquoted = _QUOTED.sub(lambda quoted: "q" * len(quoted.group()), self.line)
        comment = _COMMENT.search(unquoted)
        return self.line[: comment.start()] if comment else self.line

    def _error(self, problem: str) -> ConfigError:
        caret = re.sub(r"[^\t]", " ", self.line[: self.at]) + "^"
        return ConfigError(
            f"{self.where}partition rules, line {self.number}: {problem}:\n  {self.line}\n  {caret}"
        )


def _matcher(word: str, literal: bool) -> Matches:
    if literal or not re.search(r"[*?]", word):
        return word.__eq__
    pattern = "".join({"*": ".*", "?": "."}.get(sign, re.escape(sign)) for sign in word)
    return re.compile(pattern, re.DOTALL).fullmatch


def _all_match(matchers: Iterable[Matches], names: Iterable[str]) -> bool:
    return all(any(matches(name) for name in names) for matches in matchers)
