"""Values of a PIR program during translation: variables, constants, and lists of tensors."""

from __future__ import annotations

from collections.abc import Sequence

from lite.dataclass import dataclass
from lite.errors import ModelParseError
from lite.ir.types import Array, Shape
from lite.model_parser.paddle.pir.types import PirType

MAX_CONSTANT = 4096
"""The most elements of a constant that the parser keeps."""


@dataclass(eq=False)
class Value:
    """A tensor in the variable `name`, or a list of tensors, `parts`.

    A constant has `elements`.  Its op is written to the block of index `block`, which defines it, when an op
    first reads the constant as a tensor: most constants become attributes.
    """

    type: PirType
    name: str
    block: int
    elements: Array | None = None
    parts: Sequence[Value] | None = None
    is_written: bool = True

    @property
    def shape(self) -> Shape | None:
        """The declared shape; None for an unknown rank."""
        return self.type.shape

    def known_rank(self) -> int:
        """The number of axes; raises `ModelParseError` for a value that is not a tensor."""
        if self.type.shape is None:
            raise ModelParseError(f"value {self.name!r}: expected a tensor, got {self.type.encoding}")
        return len(self.type.shape)

    def numbers(self) -> list[float] | None:
        """The elements of a constant or of a list of constants; None where one is unknown before the run."""
        if self.elements is not None:
            return list(self.elements.reshape(-1).tolist())
        if self.parts is None:
            return None
        lists = [part.numbers() for part in self.parts]
        known = [numbers for numbers in lists if numbers is not None]
        return [number for numbers in known for number in numbers] if len(known) == len(lists) else None

    def integers(self) -> list[int] | None:
        """`numbers` as integers; raises `ModelParseError` for a number that is not an integer."""
        numbers = self.numbers()
        if numbers is None:
            return None
        try:
            integers = [int(number) for number in numbers]
        except (OverflowError, ValueError):
            integers = []
        if integers != numbers:
            raise ModelParseError(f"value {self.name!r}: expected integers, got {numbers[:8]}")
        return integers
