"""A StableHLO function as plain data: tensors and operations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias

from lite.dataclass import dataclass
from lite.ir.types import Array, DType

Attribute: TypeAlias = "int | bool | str | tuple[int, ...] | tuple[tuple[int, int], ...]"
"""An integer, a flag, MLIR text, a list of integers, or pairs of integers."""


@dataclass(eq=False)
class Tensor:
    """A value of the function; `array` has the elements of a constant, and may be a view in any order."""

    dtype: DType
    shape: tuple[int, ...]
    array: Array | None = None

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)


@dataclass(frozen=True, eq=False)
class Operation:
    """One operation, by its name with the dialect.

    `body` is the operation of two numbers that a reduction applies; its names have no dialect.
    """

    name: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    attributes: Mapping[str, Attribute]
    body: str = ""


@dataclass
class StablehloGraph:
    """One function."""

    inputs: list[Tensor] = field(default_factory=list)
    outputs: list[Tensor] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
