"""The text of a ``.pnnx.param`` file → its operators."""

from __future__ import annotations

import re

from lite.errors import ModelParseError
from lite.ir.types import UNKNOWN, Dim
from lite.model_parser.pnnx.element_types import dtype_of
from lite.model_parser.pnnx.operator import Operator, TensorType

MAGIC = "7767517"

_TYPE = re.compile(r"\(([^()]*)\)(\w+)")
_DIM = re.compile(r"\d{1,18}")
_COUNT = re.compile(r"\d{1,9}")


def looks_like_param(prefix: bytes) -> bool:
    """Whether bytes begin as a ``.pnnx.param`` file does."""
    return re.match(rb"(\xef\xbb\xbf)?\s*7767517\s", prefix) is not None


def read_param(text: str, source: str) -> list[Operator]:
    """The operators in file order, which is an order they can run in.

    Raises `ModelParseError` naming file, line and operator: a wrong first line or count, operands
    that no operator before gives or that two give, names that appear twice, types that cannot be read.
    """
    lines = [(n, line) for n, line in enumerate(text.lstrip("\ufeff").splitlines(), 1) if line.strip()]
    if not lines or lines[0][1].strip() != MAGIC:
        got = lines[0][1].strip()[:40] if lines else "an empty file"
        raise ModelParseError(f"{source}: line 1: expected {MAGIC}, got {got!r}; not a PNNX model")
    if len(lines) < 2:
        raise ModelParseError(f"{source}: ends behind line 1, expected the counts of operators and operands")
    number, counts = lines[1]
    found = counts.split()
    if len(found) != 2 or not all(_COUNT.fullmatch(word) for word in found):
        raise ModelParseError(
            f"{source}: line {number}: expected the counts of operators and operands, got {counts.strip()!r}"
        )
    operators = [_read_line(line, f"{source}: line {n}") for n, line in lines[2:]]
    operands = _check_operands(operators)
    for what, said, got_count in (
        ("operators", int(found[0]), len(operators)),
        ("operands", int(found[1]), operands),
    ):
        if said != got_count:
            raise ModelParseError(
                f"{source}: line {number} says {said} {what}, the file has {got_count}; it may be cut short"
            )
    return operators


def _read_line(line: str, place: str) -> Operator:
    words = line.split()
    if len(words) < 4 or not all(_COUNT.fullmatch(word) for word in words[2:4]):
        raise ModelParseError(
            f"{place}: expected type, name and the counts of inputs and outputs, got {line.strip()[:80]!r}"
        )
    inputs, outputs = int(words[2]), int(words[3])
    operator = Operator(
        words[0], words[1], words[4 : 4 + inputs], words[4 + inputs : 4 + inputs + outputs], place
    )
    if len(words) < 4 + inputs + outputs:
        raise operator.error(f"expected {inputs} inputs and {outputs} outputs, got {len(words) - 4} words")
    for word in words[4 + inputs + outputs :]:
        _read_word(operator, word)
    return operator


def _read_word(operator: Operator, word: str) -> None:
    key, equals, value = word.partition("=")
    if not equals or not key.lstrip("@$#"):
        raise operator.error(f"expected key=value, got {word[:80]!r}")
    prefix, name = key[0], key[1:]
    if prefix == "@":
        operator.weights[name] = _read_type(operator, word, value)
    elif prefix == "#":
        operator.types[name] = _read_type(operator, word, value)
    elif prefix == "$":
        operator.named.append((name, value))
    else:
        operator.params[key] = value


def _read_type(operator: Operator, word: str, text: str) -> TensorType:
    found = _TYPE.fullmatch(text)
    if found is None:
        raise operator.error(f"expected a shape and type as (1,3,?)f32, got {word[:80]!r}")
    try:
        dtype = dtype_of(found[2])
    except ModelParseError as error:
        raise operator.error(f"{word[:80]!r}: {error}") from None
    dims = [dim for dim in found[1].split(",") if dim]
    return TensorType(dtype, tuple(_read_dim(operator, word, dim) for dim in dims))


def _read_dim(operator: Operator, word: str, text: str) -> Dim:
    if text == UNKNOWN or text == "-1":
        return UNKNOWN
    if text.startswith("%") and len(text) > 1:
        return text[1:]
    if not _DIM.fullmatch(text):
        raise operator.error(f"expected a size, ? or %name, got {text!r} in {word[:80]!r}")
    return int(text)


def _check_operands(operators: list[Operator]) -> int:
    """How many operands there are; each must be given once, and before it is used."""
    given: dict[str, Operator] = {}
    for operator in operators:
        for operand in operator.inputs:
            if operand not in given:
                raise operator.error(f"input {operand!r} is not an output of any operator before")
        for operand in operator.outputs:
            if operand in given:
                raise operator.error(f"operand {operand!r} is an output of {given[operand].name!r} already")
            given[operand] = operator
        operator.positions()
    return len(given)
