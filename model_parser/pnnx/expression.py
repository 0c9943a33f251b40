"""The language of ``pnnx.Expression``: text → tokens → tree."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lite.errors import ModelParseError, suggest
from lite.model_parser.pnnx.functions import BINARY, UNARY
from lite.model_parser.pnnx.parameter import parse_parameter

SIZE, LIST = "size", "["

_TOKEN = re.compile(r"[^(),\[\]]+|\[")


@dataclass(frozen=True)
class Token:
    """A word of the text and where it begins."""

    text: str
    position: int


@dataclass(frozen=True)
class Operand:
    """``@number``: an input of the expression."""

    number: int


@dataclass(frozen=True)
class Number:
    """A literal; None is ``None``."""

    value: bool | int | float | None


@dataclass(frozen=True)
class Apply:
    """A function of the language and its arguments; `LIST` takes any number of them."""

    function: str
    arguments: tuple[Tree, ...]


Tree = Operand | Number | Apply

DEEPEST = 200
"""Functions that are nested deeper are refused."""


@dataclass(frozen=True)
class _Entry:
    tree: Tree
    position: int
    depth: int


def parse(text: str) -> Tree:
    """The tree of an expression; raises `ModelParseError` with a caret under what cannot be read.

    Words are evaluated from right to left with a stack, as PNNX does.  Brackets and commas carry no
    meaning: PNNX itself writes some expressions with brackets that do not match.
    """
    stack: list[_Entry] = []
    for token in reversed(tokenize(text)):
        count = _arity(token, stack)
        if len(stack) < count:
            raise error(text, token.position, f"{token.text} takes {count} operands, {len(stack)} follow it")
        taken = [stack.pop() for _ in range(count)]
        depth = 1 + max((entry.depth for entry in taken), default=0)
        if depth > DEEPEST:
            raise error(text, token.position, f"nested more than {DEEPEST} deep")
        tree = _tree(token, tuple(entry.tree for entry in taken), text)
        stack.append(_Entry(tree, token.position, depth))
    if not stack:
        raise error(text, 0, "the expression is empty")
    if len(stack) > 1:
        raise error(text, stack[0].position, "belongs to no function")
    return stack[0].tree


def tokenize(text: str) -> list[Token]:
    """The words of an expression, in order."""
    return [Token(found.group().strip(), found.start()) for found in _TOKEN.finditer(text)]


def error(text: str, position: int, reason: str) -> ModelParseError:
    """The error of an expression that cannot be read, with a caret under the place."""
    begin = max(0, position - 60)
    shown = text[begin : begin + 120]
    return ModelParseError(f"expression: {reason}\n  {shown}\n  {' ' * (position - begin)}^")


def _arity(token: Token, stack: Sequence[_Entry]) -> int:
    if token.text == LIST:
        return len(stack)
    if token.text == SIZE:
        return 2 if len(stack) > 1 else 1
    if token.text in UNARY:
        return 1
    return 2 if token.text in BINARY else 0


def _tree(token: Token, taken: tuple[Tree, ...], text: str) -> Tree:
    if taken or token.text == LIST:
        return Apply(token.text, taken)
    if token.text.startswith("@"):
        if not re.fullmatch(r"@\d{1,6}", token.text):
            raise error(text, token.position, f"expected @ and a number, got {token.text[:20]!r}")
        return Operand(int(token.text[1:]))
    try:
        value = parse_parameter(token.text)
    except ModelParseError as problem:
        raise error(text, token.position, str(problem)) from None
    if isinstance(value, str | list):
        near = suggest(token.text, UNARY | BINARY | {SIZE})
        raise error(text, token.position, f"no function or number is called {token.text[:40]!r}{near}")
    return Number(value)
