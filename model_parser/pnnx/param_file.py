"""The text of a ``.pnnx.param`` file: a magic number, two counts, and a line for each operator.

The format of Tencent's pnnx (``tools/pnnx/src/ir.cpp`` of github.com/Tencent/ncnn).  A line has the type and
name of an operator, the counts of its inputs and outputs, their operands, and words ``key=value``: a
parameter, or with a prefix a weight (``@``), the name of an input (``$``) or the type of an operand (``#``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field

from lite.dataclass import dataclass
from lite.errors import ModelParseError
from lite.ir.types import UNKNOWN, Dim, DType, Shape
from lite.model_parser.pnnx.element_types import COMPLEX, dtype_of
from lite.model_parser.pnnx.files import MAGIC

_TYPE = re.compile(r"\(([^()]*)\)(\w+)")
_DIM = re.compile(r"\d{1,18}")
_COUNT = re.compile(r"\d{1,9}")


@dataclass(frozen=True)
class TensorType:
    """An element type and a shape with `UNKNOWN` or symbolic sizes."""

    dtype: DType
    shape: Shape

    @property
    def count(self) -> int | None:
        """The number of elements; None where a size is not fixed."""
        total = 1
        for dim in self.shape:
            if isinstance(dim, str):
                return None
            total *= dim
        return total


@dataclass
class Operator:
    """One line of the file.

    `inputs` and `outputs` are operands, `params` the texts of parameters, `named` the ``$`` names with their
    operands; `place` is the file and line for messages.
    """

    type: str
    name: str
    inputs: list[str]
    outputs: list[str]
    place: str
    params: dict[str, str] = field(default_factory=dict)
    weights: dict[str, TensorType] = field(default_factory=dict)
    named: list[tuple[str, str]] = field(default_factory=list)
    types: dict[str, TensorType] = field(default_factory=dict)
    complex_weights: set[str] = field(default_factory=set)

    def is_complex(self, key: str) -> bool:
        """Whether a weight is of complex numbers, stored as pairs."""
        return key in self.complex_weights

    def positions(self) -> dict[str, int]:
        """The position of each named input.

        An operand may be several inputs: its names belong to its positions in the order of the file.
        """
        positions: dict[str, int] = {}
        for key, operand in self.named:
            free = (n for n in _all_of(self.inputs, operand) if n not in positions.values())
            position = next(free, None)
            if position is None:
                raise self.error(f"${key}={operand}: expected an input {operand!r} without a name")
            positions[key] = position
        return positions

    def error(self, reason: str) -> ModelParseError:
        """The error of this operator, with its place, type and name."""
        return ModelParseError(f"{self.place}: {self.type} {self.name!r}: {reason}")


def read_param(text: str, source: str) -> list[Operator]:
    """The operators in the order of the file, in which each follows those that it reads.

    Raises `ModelParseError` that names the file, the line and the operator, for a wrong first line or
    count, an operand that no earlier operator writes or that two write, and an invalid type.
    """
    lines = [(n, line) for n, line in enumerate(text.lstrip("\ufeff").splitlines(), 1) if line.strip()]
    if not lines or lines[0][1].strip() != MAGIC.decode():
        got = lines[0][1].strip()[:40] if lines else "an empty file"
        raise ModelParseError(f"{source}: line 1: expected {MAGIC.decode()}, got {got!r}; not a PNNX model")
    if len(lines) < 2:
        raise ModelParseError(
            f"{source}: the file ends after line 1, expected the counts of operators and operands"
        )
    number, counts = lines[1]
    declared = counts.split()
    if len(declared) != 2 or not all(_COUNT.fullmatch(word) for word in declared):
        raise ModelParseError(
            f"{source}: line {number}: expected the counts of operators and operands, got {counts.strip()!r}"
        )
    operators = [_read_line(line, f"{source}: line {n}") for n, line in lines[2:]]
    operands = _check_operands(operators)
    for kind, expected, count in (
        ("operators", int(declared[0]), len(operators)),
        ("operands", int(declared[1]), operands),
    ):
        if expected != count:
            raise ModelParseError(
                f"{source}: line {number} declares {expected} {kind}, got {count}; the file may be cut short"
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
        if _is_complex(value):
            operator.complex_weights.add(name)
    elif prefix == "#" and _is_complex(value) and operator.type != "pnnx.Input":
        return
    elif prefix == "#":
        operator.types[name] = _read_type(operator, word, value)
    elif prefix == "$":
        operator.named.append((name, value))
    else:
        operator.params[key] = value


def _is_complex(text: str) -> bool:
    """Whether a type is of complex numbers, which the program has as pairs of real ones."""
    return text.rpartition(")")[2] in COMPLEX


def _read_type(operator: Operator, word: str, text: str) -> TensorType:
    match = _TYPE.fullmatch(text)
    if match is None:
        raise operator.error(f"expected a shape and type as (1,3,?)f32, got {word[:80]!r}")
    dims = [dim for dim in match[1].split(",") if dim]
    if word.startswith("@") and match[2] in COMPLEX:
        dims.append("2")
    try:
        dtype = COMPLEX.get(match[2]) if word.startswith("@") else None
        dtype = dtype or dtype_of(match[2])
    except ModelParseError as error:
        raise operator.error(f"{word[:80]!r}: {error}") from None
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
    """The number of operands; each must be written once, and before it is read."""
    writers: dict[str, Operator] = {}
    for operator in operators:
        for operand in operator.inputs:
            if operand not in writers:
                raise operator.error(f"input {operand!r} is not an output of an earlier operator")
        for operand in operator.outputs:
            if operand in writers:
                raise operator.error(f"operand {operand!r} is an output of {writers[operand].name!r} already")
            writers[operand] = operator
        operator.positions()
    return len(writers)


def _all_of(operands: Sequence[str], operand: str) -> list[int]:
    return [n for n, name in enumerate(operands) if name == operand]
