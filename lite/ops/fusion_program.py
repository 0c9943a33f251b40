"""The programs of fusion_group: instructions as text and as data."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from lite.dataclass import dataclass
from lite.errors import GraphError, suggest
from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.ops.schema import SCHEMAS, OpSchema, Trait, get_schema

_OPERANDS = (["X"], ["X", "Y"])
"""The required slots of ops that are allowed as instructions."""


@dataclass(frozen=True)
class Instruction:
    """One op of a program."""

    op: str
    operands: tuple[int, ...]
    numbers: tuple[float, ...] = ()

    def __str__(self) -> str:
        return " ".join([self.op, *map(str, self.operands), *map(repr, self.numbers)])

    def attrs(self) -> dict[str, AttrValue]:
        """The attributes of the op, with defaults filled in."""
        return get_schema(self.op).from_numbers(self.numbers)


def operand_count(op: str) -> int | None:
    """The number of operands of an instruction of this op type; None for an op that cannot be an instruction.

    Instructions are elementwise functions of X, or of X and Y, on real numbers.
    """
    schema = SCHEMAS.get(op)
    return None if schema is None else _counts(schema)


@functools.cache
def _counts(schema: OpSchema) -> int | None:
    slots = [slot for slot in schema.inputs.values() if not slot.optional]
    is_function = Trait.ELEMENTWISE in schema.traits and list(schema.outputs) == ["Out"]
    takes_reals = all(DType.FLOAT32 in slot.dtypes for slot in slots)
    has_defaults = all(attr.default is not None for attr in schema.attrs.values())
    if not (is_function and takes_reals and has_defaults and schema.inplace and schema.canonical is None):
        return None
    return len(slots) if [slot.name for slot in slots] in _OPERANDS else None


def program_text(instructions: Sequence[Instruction]) -> str:
    """The program as text, the form of the attribute."""
    return "; ".join(map(str, instructions))


@functools.lru_cache(maxsize=1024)
def read_program(text: str) -> tuple[Instruction, ...]:
    """The instructions of a program; raises `GraphError` for invalid text."""
    return tuple(_read(line.split()) for line in text.split(";"))


def _read(words: Sequence[str]) -> Instruction:
    name, line = (words[0] if words else ""), " ".join(words)
    count = operand_count(name)
    if count is None:
        ops = [op for op in SCHEMAS if operand_count(op) is not None]
        raise GraphError(f"fusion_group: {name!r} cannot be an instruction{suggest(name, ops)}")
    operands, numbers = words[1 : count + 1], words[count + 1 :]
    try:
        instruction = Instruction(name, tuple(map(int, operands)), tuple(map(float, numbers)))
    except ValueError as error:
        raise GraphError(f"fusion_group: instruction {line!r}: {error}") from error
    if len(instruction.operands) != count:
        raise GraphError(f"fusion_group: instruction {line!r}: expected {count} operands")
    try:
        instruction.attrs()
    except GraphError as error:
        raise GraphError(f"fusion_group: instruction {line!r}: {error}") from error
    return instruction
