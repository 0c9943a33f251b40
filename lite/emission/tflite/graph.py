"""A TFLite model as plain data: tensors in the order of axes that the file has, and operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TypeAlias

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array, DType


@dataclass(frozen=True, eq=False)
class Scales:
    """Quantisation: real = scale · (stored − zero), for the whole tensor, or one of each along `axis`."""

    scales: Array
    zeros: Array
    axis: int = 0


@dataclass(eq=False)
class Stored:
    """A tensor of the file; `array` has the elements of a constant, and may be a view in any order.

    `quant` is the quantisation of a tensor of integers.  `integers_of` is that of the int8 that a constant of
    real numbers stands for.
    """

    name: str
    dtype: DType
    shape: tuple[int, ...]
    array: Array | None = None
    quant: Scales | None = None
    integers_of: Scales | None = None

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))


Option: TypeAlias = "int | float | bool | Sequence[int]"


@dataclass(frozen=True, eq=False)
class Operator:
    """One operator, by the name of its code; an input that is None is absent."""

    code: str
    inputs: tuple[Stored | None, ...]
    outputs: tuple[Stored, ...]
    options: Mapping[str, Option]


@dataclass
class TfliteGraph:
    """One subgraph; inputs and outputs have names of their own in its signature."""

    inputs: list[tuple[str, Stored]] = field(default_factory=list)
    outputs: list[tuple[str, Stored]] = field(default_factory=list)
    operators: list[Operator] = field(default_factory=list)
