"""What an operand stands for while a model is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Var:
    """A variable of the program; `is_number` marks a number of torch's Python side, as a size is.

    Such a number takes part in type promotion like a literal does, not like a tensor.
    """

    name: str
    is_number: bool = False


Literal = bool | int | float
Value = Var | Literal | str | None | Sequence["Value"]
"""A variable, a literal, a word, nothing, or a list (also of several results)."""


@dataclass(frozen=True)
class Results:
    """The results of an operator that has several; the last ones may be wanted by nobody."""

    values: Sequence[Value]
