"""concat and split for uint8: the integers of quantised values."""

from __future__ import annotations

from lite.ir.types import DType
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.shape.join import joining, splitting
from lite.plugin.kernel import KernelFunction, PrepareContext, kernel

_copy_columns = Function("byte_moves.copy_columns")


@kernel("concat", "cpu", dtype=DType.UINT8, slots=("X",), fallback="host")
def concat(ctx: PrepareContext) -> KernelFunction | None:
    """Join the tensors of X along an axis."""
    return joining(ctx, _copy_columns, DType.UINT8)


@kernel("split", "cpu", dtype=DType.UINT8, slots=("X",), fallback="host")
def split(ctx: PrepareContext) -> KernelFunction | None:
    """Split X along an axis into `num` equal parts, or into parts of `sections` (-1 for the rest)."""
    return splitting(ctx, _copy_columns, DType.UINT8)
