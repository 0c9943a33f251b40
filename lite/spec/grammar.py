"""The grammar of passes and devices with options, which users write in lists of strings.

::

    spec  =  name  |  name{key=value, …}
    value =  true | false | 12 | 0.5 | word | "text" | 'text' | [value, …] | name{…}

A word has no blanks and none of ``{ } [ ] , = " ' \\``; other text is quoted, with ``\\`` before a quote
or a backslash, and ``\\n``, ``\\t``, ``\\r``.  Braces nest.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import TypeAlias

from lite.dataclass import dataclass
from lite.errors import ConfigError

SpecValue: TypeAlias = "bool | int | float | str | Spec | tuple[SpecValue, ...]"
"""The value of an option; a list becomes a tuple."""

_NAME = re.compile(r"[A-Za-z_][\w.\-]*")
_KEY = re.compile(r"[A-Za-z_]\w*")
_WORD = re.compile(r"""[^\s{}\[\],="'\\]+""")
_INTEGER = re.compile(r"[+-]?\d+")
_REAL = re.compile(r"[+-]?(?:(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|inf)")
_ESCAPES = {"\\": "\\", '"': '"', "'": "'", "n": "\n", "t": "\t", "r": "\r"}
_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


@dataclass(frozen=True)
class Spec:
    """A name and its options, in the order of the text; `str` writes a text that parses to an equal spec."""

    name: str
    options: tuple[tuple[str, SpecValue], ...] = ()

    @property
    def mapping(self) -> Mapping[str, SpecValue]:
        """The options by key."""
        return dict(self.options)

    def __str__(self) -> str:
        return self.name + (_braces(self) if self.options else "")


@functools.lru_cache(maxsize=1024)
def parse_spec(text: str) -> Spec:
    """Parse a spec; raises `ConfigError` with a caret under the first wrong character."""
    reader = _Reader(text)
    spec = reader.spec()
    reader.blanks()
    if reader.position < len(text):
        raise reader.error("expected the end of the text")
    return spec


def split_specs(text: str) -> list[str]:
    """Split a list of specs at the commas outside braces; an empty text gives an empty list.

    Raises `ConfigError` with a caret under the first wrong character.
    """
    reader = _Reader(text)
    specs: list[str] = []
    reader.blanks()
    while reader.position < len(text):
        if specs:
            reader.expect(",", "or the end of the list after a spec")
        start = reader.position
        reader.spec()
        specs.append(text[start : reader.position].strip())
        reader.blanks()
    return specs


class _Reader:
    """Reads one text from left to right; `position` is the index of the next character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def spec(self) -> Spec:
        self.blanks()
        name = self.match(_NAME)
        if name is None:
            raise self.error("expected a name")
        self.blanks()
        return Spec(name, self.options() if self.next_is("{") else ())

    def options(self) -> tuple[tuple[str, SpecValue], ...]:
        options: dict[str, SpecValue] = {}
        self.expect("{", "before the options")
        while not self.skip("}"):
            if options:
                self.expect(",", "or '}' after an option")
            self.blanks()
            start = self.position
            key = self.match(_KEY)
            if key is None:
                raise self.error("expected the name of an option, as in name{option=value}")
            if key in options:
                raise self.error(f"option {key!r} is given twice", start)
            self.expect("=", f"after {key!r}")
            options[key] = self.value()
        return tuple(options.items())

    def value(self) -> SpecValue:
        self.blanks()
        if self.next_is("["):
            return self.values()
        if self.next_is('"') or self.next_is("'"):
            return self.quoted()
        start = self.position
        word = self.match(_WORD)
        if word is None:
            raise self.error("expected a value")
        self.blanks()
        if not self.next_is("{"):
            return _word_value(word)
        if not _NAME.fullmatch(word):
            raise self.error(f"{word!r} cannot have options: it is not a name", start)
        return Spec(word, self.options())

    def values(self) -> tuple[SpecValue, ...]:
        values: list[SpecValue] = []
        self.expect("[", "before a list")
        while not self.skip("]"):
            if values:
                self.expect(",", "or ']' after an element")
            values.append(self.value())
        return tuple(values)

    def quoted(self) -> str:
        start = self.position
        quote = self.text[start]
        characters: list[str] = []
        self.position += 1
        while not self.next_is(quote):
            if self.position == len(self.text):
                raise self.error("this quote is never closed", start)
            characters.append(self.character())
        self.position += 1
        return "".join(characters)

    def character(self) -> str:
        character = self.text[self.position]
        self.position += 1
        if character != "\\":
            return character
        escape = self.text[self.position : self.position + 1]
        if escape not in _ESCAPES:
            raise self.error(f"expected one of {' '.join(_ESCAPES)} after a backslash")
        self.position += 1
        return _ESCAPES[escape]

    def blanks(self) -> None:
        while self.text[self.position : self.position + 1].isspace():
            self.position += 1

    def match(self, pattern: re.Pattern[str]) -> str | None:
        match = pattern.match(self.text, self.position)
        if match is None:
            return None
        self.position = match.end()
        return match.group()

    def next_is(self, character: str) -> bool:
        return self.text.startswith(character, self.position)

    def skip(self, character: str) -> bool:
        self.blanks()
        matches = self.next_is(character)
        self.position += matches
        return matches

    def expect(self, character: str, where: str) -> None:
        if not self.skip(character):
            raise self.error(f"expected '{character}' {where}")

    def error(self, problem: str, position: int | None = None) -> ConfigError:
        at = self.position if position is None else position
        start = self.text.rfind("\n", 0, at) + 1
        line = self.text[start:].partition("\n")[0]
        caret = re.sub(r"[^\t]", " ", line[: at - start]) + "^"
        return ConfigError(f"{problem}:\n  {line}\n  {caret}")


def _word_value(word: str) -> bool | int | float | str:
    if word in ("true", "false"):
        return word == "true"
    if _INTEGER.fullmatch(word):
        return int(word)
    return float(word) if _REAL.fullmatch(word) else word


def value_text(value: SpecValue) -> str:
    """The text of an option's value in the grammar."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Spec):
        return value.name + _braces(value)
    if isinstance(value, tuple):
        return f"[{', '.join(value_text(item) for item in value)}]"
    if not isinstance(value, str):
        return repr(value)
    if _WORD.fullmatch(value) and isinstance(_word_value(value), str):
        return value
    return '"' + "".join(_ESCAPED.get(character, character) for character in value) + '"'


def _braces(spec: Spec) -> str:
    return "{" + ", ".join(f"{key}={value_text(value)}" for key, value in spec.options) + "}"
