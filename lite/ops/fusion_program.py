"""The programs of fusion_group: their instructions, as text and as data."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lite.errors import GraphError, suggest
from lite.ir.program import AttrType, AttrValue
from lite.ops.schema import get_schema

OPERANDS: Mapping[str, int] = {
    **dict.fromkeys(
        ("abs", "ceil", "clip", "elu", "erf", "exp", "floor", "gelu", "hard_sigmoid", "hard_swish"), 1
    ),
    **dict.fromkeys(("leaky_relu", "negative", "reciprocal", "relu", "relu6", "relu_clipped"), 1),
    **dict.fromkeys(("rsqrt", "scale", "sigmoid", "silu", "softsign", "sqrt", "square", "swish", "tanh"), 1),
    **dict.fromkeys((f"elementwise_{name}" for name in ("add", "div", "max", "min", "mul", "sub")), 2),
}
"""The ops that an instruction may be, with how many operands each has."""


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
        schema = get_schema(self.op)
        given: dict[str, AttrValue] = {
            name: bool(number) if attr.type is AttrType.BOOLEAN else number
            for (name, attr), number in zip(schema.attrs.items(), self.numbers, strict=False)
        }
        return schema.attr_values(given)


def program_text(instructions: Sequence[Instruction]) -> str:
    """The program as the attribute holds it."""
    return "; ".join(map(str, instructions))


@functools.lru_cache(maxsize=1024)
def read_program(text: str) -> tuple[Instruction, ...]:
    """The instructions of a program; raises `GraphError` for words that are none."""
    return tuple(_read(line.split()) for line in text.split(";"))


def _read(words: Sequence[str]) -> Instruction:
    name = words[0] if words else ""
    count = OPERANDS.get(name)
    if count is None:
        raise GraphError(f"fusion_group: {name!r} is no op of its programs{suggest(name, OPERANDS)}")
    operands, numbers = words[1 : count + 1], words[count + 1 :]
    try:
        found = Instruction(name, tuple(map(int, operands)), tuple(map(float, numbers)))
    except ValueError as error:
        raise GraphError(f"fusion_group: instruction {' '.join(words)!r}: {error}") from error
    if len(operands) != count or len(numbers) > len(get_schema(name).attrs):
        expected = f"{count} operands and at most {len(get_schema(name).attrs)} attributes"
        raise GraphError(f"fusion_group: instruction {' '.join(words)!r}: expected {expected}")
    return found
