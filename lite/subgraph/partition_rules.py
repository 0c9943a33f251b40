"""The user's rules that keep ops off devices or put them on one, in Paddle-Lite's lines and a few more.

::

    # Everything behind '#' at the start of a word is a comment; blank lines mean nothing.
    relu                            every relu stays on the host
    conv2d:x,w:y                    conv2d ops that read both x and w and write y
    conv2d::y-pool2d:y              two entries; an empty list matches any names
    conv2d_*:image?                 * stands for any characters, ? for one
    "my-op":"name, with: signs"     in quotes every character is itself; \\" and \\\\ stand for " and \\
    matmul_v2-softmax -> openvino   these ops go to openvino or, where it declines them, to the host
    relu6 -> host                   the same as no arrow
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lite.errors import ConfigError
from lite.ir.types import HOST

HOST_RULE = HOST
"""What `PartitionRules.decide` answers for an op that must stay on the host."""

_ARROW = "->"
_BLANKS = re.compile(r"[ \t]*")
_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#")
_QUOTED = re.compile(r'"((?:[^"\\]|\\["\\])*)"')
_TYPE = re.compile(r"[\w*?]+")
_NAME = re.compile(r'[^\s,:"-]+')
_DEVICE = re.compile(r"\w+")

Matches = Callable[[str], object]


@dataclass(frozen=True)
class _Entry:
    """One ``type:inputs:outputs``, with its spelling and line for messages."""

    op: Matches
    inputs: tuple[Matches, ...]
    outputs: tuple[Matches, ...]
    place: str
    text: str
    line: int

    def matches(self, op: str, inputs: Iterable[str], outputs: Iterable[str]) -> bool:
        return bool(self.op(op)) and _all_found(self.inputs, inputs) and _all_found(self.outputs, outputs)


@dataclass
class PartitionRules:
    """Where the user wants ops; the first entry that matches an op decides.

    An entry matches an op of its type that reads all of its inputs and writes all of its outputs.
    """

    entries: tuple[_Entry, ...] = ()
    _matched: set[_Entry] = field(default_factory=set, repr=False)
    _decided: set[_Entry] = field(default_factory=set, repr=False)

    @classmethod
    def parse(cls, source: str | os.PathLike[str]) -> PartitionRules:
        """Read rules from text, or from a file: a path object, or a string that names an existing file.

        Raises `ConfigError` with line and place of what is wrong.
        """
        if not isinstance(source, str) or _is_file(source):
            return cls._parse_text(_read(Path(source)), f"{os.fspath(source)}: ")
        return cls._parse_text(source, "")

    @classmethod
    def _parse_text(cls, text: str, where: str) -> PartitionRules:
        entries: list[_Entry] = []
        for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
            entries += _Line(line, number, where).entries()
        return cls(tuple(entries))

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices that the rules name, in the order of their first mention."""
        return tuple(dict.fromkeys(entry.place for entry in self.entries if entry.place != HOST_RULE))

    def decide(self, op: str, inputs: Sequence[str], outputs: Sequence[str]) -> str | None:
        """Where an op must run: on the host (`HOST_RULE`), on the device named, or None for anywhere."""
        decided: _Entry | None = None
        for entry in self.entries:
            if entry.matches(op, inputs, outputs):
                self._matched.add(entry)
                decided = decided or entry
        if decided is None:
            return None
        self._decided.add(decided)
        return decided.place

    def unused(self) -> list[str]:
        """A sentence for each entry that has decided nothing so far."""
        return [
            f"partition rules, line {entry.line}: {entry.text!r} "
            + (
                "decides nothing: earlier rules match the same ops"
                if entry in self._matched
                else "matches no op"
            )
            for entry in self.entries
            if entry not in self._decided
        ]


class _Line:
    """A line while it is read, from left to right."""

    def __init__(self, line: str, number: int, where: str) -> None:
        self.line = line
        self.number = number
        self.where = where
        self.at = 0
        self.end = len(self._without_comment().rstrip())

    def entries(self) -> list[_Entry]:
        """Everything on the line, separated by '-', with the place behind the arrow."""
        self._skip_blanks()
        if self.at == self.end:
            return []
        found = [self._entry()]
        while self._skip("-"):
            found.append(self._entry())
        place = HOST_RULE
        if self._skip(_ARROW):
            place = self._word(_DEVICE, "the name of a device, or 'host',")[0]
        if self.at < self.end:
            raise self._error("expected '-' and another entry, '->' and a device, or the end of the line")
        return [_Entry(*parts, place, text, self.number) for *parts, text in found]

    def _entry(self) -> tuple[Matches, tuple[Matches, ...], tuple[Matches, ...], str]:
        self._skip_blanks()
        start = self.at
        op = _matcher(*self._word(_TYPE, "an op type"))
        names = [self._names() if self._skip(":") else () for _ in range(2)]
        if self._next_is(":"):
            raise self._error("expected no more than 'type:inputs:outputs'; put names with ':' in quotes")
        return op, names[0], names[1], self.line[start : self.at].rstrip()

    def _names(self) -> tuple[Matches, ...]:
        self._skip_blanks()
        if self.at == self.end or self.line[self.at] in ":-":
            return ()
        names = [_matcher(*self._word(_NAME, "a name"))]
        while self._skip(","):
            names.append(_matcher(*self._word(_NAME, "a name")))
        return tuple(names)

    def _word(self, pattern: re.Pattern[str], what: str) -> tuple[str, bool]:
        """A word, and whether it stood in quotes."""
        self._skip_blanks()
        start = self.at
        quoted = _QUOTED.match(self.line, start, self.end)
        found = quoted or pattern.match(self.line, start, self.end)
        if found is None:
            closed = not self._next_is('"')
            raise self._error(f"expected {what}" if closed else "these quotes are not closed")
        self.at = found.end()
        self._skip_blanks()
        if quoted is None:
            return found.group(), False
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


def _all_found(wanted: Iterable[Matches], names: Iterable[str]) -> bool:
    return all(any(matches(name) for name in names) for matches in wanted)


def _is_file(text: str) -> bool:
    return "\n" not in text and "\0" not in text and len(text) < 4096 and Path(text).is_file()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"partition rules: cannot read {str(path)!r}: {error}") from error
