"""Tensors of a graph."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from lite.bridges.sim_npu.sdk import limits
from lite.bridges.sim_npu.sdk.errors import NpuError, Status

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class TensorType:
    """Element type and shape; raises `NpuError` for one that the hardware does not support."""

    dtype: str
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.dtype not in limits.DTYPES:
            raise NpuError(
                Status.INVALID_DTYPE, f"element type {self.dtype} (supported: {', '.join(limits.DTYPES)})"
            )
        if not 1 <= len(self.shape) <= limits.RANK:
            raise NpuError(
                Status.LIMIT_EXCEEDED,
                f"{list(self.shape)} has {len(self.shape)} axes (supported: 1 to {limits.RANK})",
            )
        if any(not isinstance(size, int) or size < 1 for size in self.shape):
            raise NpuError(Status.INVALID_SHAPE, f"{list(self.shape)}: sizes must be integers of at least 1")

    @property
    def count(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The size of the elements in the device's memory, in bytes."""
        return self.count if self.dtype == "int8" else 4 * self.count

    def __str__(self) -> str:
        return f"{self.dtype}{list(self.shape)}"


@dataclass(frozen=True, eq=False)
class Tensor:
    """One tensor of a graph; `data` holds the elements of a constant."""

    index: int
    type: TensorType
    data: Array | None = None

    @property
    def dtype(self) -> str:
        """``"float32"``, ``"int32"`` or ``"int8"``."""
        return self.type.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes, outermost axis first."""
        return self.type.shape

    @property
    def nbytes(self) -> int:
        """The size of the elements in the device's memory, in bytes."""
        return self.type.nbytes
