"""The language of ``pnnx.Expression``: text to tokens, tokens to a tree, the tree to ops.

Tencent's pnnx writes it where it fuses elementwise operators (``pass_level3/fuse_expression.cpp``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lite.dataclass import dataclass
from lite.errors import ModelParseError, suggest
from lite.model_parser.pnnx import arithmetic, complex_arithmetic
from lite.model_parser.pnnx.arithmetic import BINARY, UNARY
from lite.model_parser.pnnx.parameter import parse_parameter
from lite.model_parser.pnnx.value import Complex, Value, Var
from lite.model_parser.pnnx.writer import Writer

SIZE, LIST, END = "size", "[", "]"

_OF_INTEGERS = frozenset(
    {"abs", "add", "div", "max", "maximum", "min", "minimum", "mul", "neg", "remainder", "sub"}
)
"""Functions whose result is of integers only where their operands are."""

_TOKEN = re.compile(r"[^(),\[\]]+|[\[\]]")


@dataclass(frozen=True)
class Token:
    """A word of the text and the position where it begins."""

    text: str
    position: int


@dataclass(frozen=True)
class Operand:
    """``@number``: an input of the operator."""

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

MAX_DEPTH = 200
"""The deepest nesting of functions that is accepted."""


@dataclass(frozen=True)
class _Entry:
    tree: Tree
    position: int
    depth: int


def parse(text: str) -> Tree:
    """The tree of an expression; raises `ModelParseError` with a caret under the word that is invalid.

    Words are evaluated from right to left with a stack, as PNNX does.  Round brackets and commas have no
    meaning: PNNX itself writes some expressions with brackets that do not match.
    """
    stack: list[_Entry] = []
    ends: list[int] = []
    for token in reversed(tokenize(text)):
        if token.text == END:
            ends.append(len(stack))
            continue
        count = _arity(token, stack)
        if token.text == LIST and ends:
            count -= ends.pop()
        if len(stack) < count:
            raise error(text, token.position, f"{token.text} takes {count} operands, got {len(stack)}")
        arguments = [stack.pop() for _ in range(count)]
        depth = 1 + max((entry.depth for entry in arguments), default=0)
        if depth > MAX_DEPTH:
            raise error(text, token.position, f"nested more than {MAX_DEPTH} deep")
        tree = _tree(token, tuple(entry.tree for entry in arguments), text)
        stack.append(_Entry(tree, token.position, depth))
    if not stack:
        raise error(text, 0, "the expression is empty")
    if len(stack) > 1:
        raise error(text, stack[0].position, "no function takes this operand")
    return stack[0].tree


def with_floor_division(tree: Tree) -> Tree:
    """`tree` of an integer result, with the divisions that it is the result of rounded down.

    pnnx writes torch's division that rounds down as ``div``, whose result would be real.
    """
    if not isinstance(tree, Apply) or tree.function not in _OF_INTEGERS:
        return tree
    function = "floor_divide" if tree.function == "div" else tree.function
    return Apply(function, tuple(with_floor_division(argument) for argument in tree.arguments))


def tokenize(text: str) -> list[Token]:
    """The words of an expression, in order."""
    return [Token(match.group().strip(), match.start()) for match in _TOKEN.finditer(text)]


def error(text: str, position: int, reason: str) -> ModelParseError:
    """The error of an invalid expression, with a caret under the position."""
    begin = max(0, position - 60)
    excerpt = text[begin : begin + 120]
    return ModelParseError(f"expression: {reason}\n  {excerpt}\n  {' ' * (position - begin)}^")


def lower(tree: Tree, operands: Sequence[Value], writer: Writer) -> Value:
    """Write the ops of an expression and return its value: a variable, a list, or a number.

    Numbers alone and fixed sizes give a number without ops.  Raises `ModelParseError` for operands that do
    not exist or that a function does not accept.
    """
    if isinstance(tree, Number):
        return tree.value
    if isinstance(tree, Operand):
        if tree.number >= len(operands):
            raise ModelParseError(f"expression: no input @{tree.number}; the operator has {len(operands)}")
        return operands[tree.number]
    values = [lower(argument, operands, writer) for argument in tree.arguments]
    if tree.function == LIST:
        return values
    if tree.function == SIZE:
        return _size(values, writer)
    if any(isinstance(value, Complex) for value in values):
        return complex_arithmetic.apply(writer, tree.function, values)
    if len(values) == 1:
        return arithmetic.unary(writer, tree.function, values[0])
    return arithmetic.binary(writer, tree.function, values[0], values[1])


def _arity(token: Token, stack: Sequence[_Entry]) -> int:
    if token.text == LIST:
        return len(stack)
    if token.text == SIZE:
        return 2 if len(stack) > 1 else 1
    if token.text in UNARY:
        return 1
    return 2 if token.text in BINARY else 0


def _tree(token: Token, arguments: tuple[Tree, ...], text: str) -> Tree:
    if arguments or token.text == LIST:
        return Apply(token.text, arguments)
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
        raise error(text, token.position, f"{token.text[:40]!r} is no function and no number{near}")
    return Number(value)


def _size(values: Sequence[Value], writer: Writer) -> Value:
    x = values[0]
    if not isinstance(x, Var):
        raise ModelParseError(f"expression: size takes a tensor, got {x!r}")
    if len(values) == 1:
        return [writer.size(x, axis) for axis in range(writer.rank(x))]
    axis = values[1]
    if not isinstance(axis, int):
        raise ModelParseError(f"expression: size takes a dimension that is an integer, got {axis!r}")
    return writer.size(x, axis)
