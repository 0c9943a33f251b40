"""The values of operands while a model is read."""

from __future__ import annotations

from collections.abc import Sequence

from lite.dataclass import dataclass


@dataclass(frozen=True)
class Var:
    """A variable of the program; `is_number` marks a number of Python in torch, such as a size.

    A number takes part in type promotion like a literal, not like a tensor.
    """

    name: str
    is_number: bool = False


@dataclass(frozen=True)
class Complex:
    """Complex numbers: a variable whose last axis has the real and the imaginary part."""

    pairs: Var


Literal = bool | int | float
Value = Var | Complex | Literal | str | None | Sequence["Value"]
"""A variable, complex numbers, a literal, a string, None, or a list of values."""

Term = Var | Literal
"""An operand of arithmetic."""


@dataclass(frozen=True)
class Results:
    """The results of an operator that has several; it may have fewer outputs than results."""

    values: Sequence[Value]
