"""One line of a ``.pnnx.param`` file: an operator as it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lite.errors import ModelParseError
from lite.ir.types import DType, Shape


@dataclass(frozen=True)
class TensorType:
    """Element type and shape; `UNKNOWN` or a name for sizes that are not fixed."""

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
    """Operands in order; parameters as text; weights; `named` are the ``$`` names with their operands.

    `place` names the file and line for messages.
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

    def positions(self) -> dict[str, int]:
        """The position of each named input.

        Operands alone do not tell: one may be several inputs, so names are handed out in file order.
        """
        taken: dict[str, int] = {}
        for key, operand in self.named:
            free = (n for n in _all_of(self.inputs, operand) if n not in taken.values())
            position = next(free, None)
            if position is None:
                raise self.error(f"${key}={operand}, but no (further) input is {operand!r}")
            taken[key] = position
        return taken

    def error(self, reason: str) -> ModelParseError:
        """The error of an operator that cannot be read or translated."""
        return ModelParseError(f"{self.place}: {self.type} {self.name!r}: {reason}")


def _all_of(operands: Sequence[str], operand: str) -> list[int]:
    return [n for n, name in enumerate(operands) if name == operand]
