"""Splits the text of a graph into tokens, and points at the token that is wrong."""

from __future__ import annotations

import json
import re
from typing import NoReturn

from lite.dataclass import dataclass
from lite.errors import GraphError

_STRING = r'"(?:[^"\\\n]|\\.)*"'
_TOKEN = re.compile(
    rf"""
    (?P<space>(?:\s|//[^\n]*)+)
  | (?P<value>%(?:[A-Za-z0-9_.]+|{_STRING})(?:\#[0-9]+)?)
  | (?P<key>@[0-9a-f]{{8}}(?![\w./]))
  | (?P<string>{_STRING})
  | (?P<number>-?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|-inf\b|-nan\b)
  | (?P<word>[A-Za-z_][A-Za-z0-9_.]*)
  | (?P<sign>[\[\](){{}}=,:@/?*])
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class Token:
    """One token: the group of `_TOKEN` that it matches, its text, and its position."""

    kind: str
    text: str
    start: int


class Scanner:
    """Reads the tokens of a text, first to last."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._tokenise()
        self._next = 0

    @property
    def token(self) -> Token:
        """The next token, which stays the next; the kind of the last token is ``end``."""
        return self._tokens[self._next]

    def at(self, text: str) -> bool:
        """Whether the next token is this sign or word."""
        return self.token.text == text and self.token.kind in ("sign", "word")

    def ahead(self, text: str) -> bool:
        """Whether the token after the next one is this sign or word."""
        second = self._tokens[min(self._next + 1, len(self._tokens) - 1)]
        return second.text == text and second.kind in ("sign", "word")

    def skip(self, text: str) -> bool:
        """Take the next token if it is this sign or word; whether it was taken."""
        matches = self.at(text)
        self._next += matches
        return matches

    def expect(self, text: str) -> None:
        """Take this sign or word; raises `GraphError` if the next token is another."""
        if not self.skip(text):
            self.fail(f"expected {text!r}")

    def take(self, *kinds: str, what: str) -> Token:
        """Take a token of one of these kinds; raises `GraphError`, naming `what`, if it is of another."""
        token = self.token
        if token.kind not in kinds:
            self.fail(f"expected {what}")
        self._next += 1
        return token

    def name(self, what: str) -> str:
        """Take a word or a quoted name."""
        token = self.take("word", "string", what=what)
        return self.unquote(token) if token.kind == "string" else token.text

    def unquote(self, token: Token, text: str | None = None) -> str:
        """The content of a quoted text; raises `GraphError` for an invalid escape."""
        try:
            return str(json.loads(token.text if text is None else text))
        except ValueError as error:
            self.fail(f"this string cannot be read: {error}", token)

    def fail(self, sentence: str, token: Token | None = None) -> NoReturn:
        """Raise `GraphError` with the sentence, the line and column of the token, and a caret under it.

        Without a `token` it is the next one, which the sentence then names.
        """
        wrong = token or self.token
        got = "the end of the text" if wrong.kind == "end" else repr(wrong.text)
        self._point(f"{sentence}, got {got}" if token is None else sentence, wrong.start)

    def _point(self, sentence: str, position: int) -> NoReturn:
        before = self._text[:position]
        line = before.count("\n") + 1
        start = before.rfind("\n") + 1
        source = self._text[start:].split("\n", 1)[0]
        column = position - start
        raise GraphError(
            f"graph text, line {line}, column {column + 1}: {sentence}\n  {source}\n  {' ' * column}^"
        )

    def _tokenise(self) -> list[Token]:
        tokens: list[Token] = []
        position = 0
        while position < len(self._text):
            match = _TOKEN.match(self._text, position)
            if match is None:
                self._point("no token starts here", position)
            if match.lastgroup != "space":
                tokens.append(Token(str(match.lastgroup), match.group(), position))
            position = match.end()
        return [*tokens, Token("end", "", len(self._text.rstrip()))]
