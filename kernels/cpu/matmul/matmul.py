"""matmul_v2, matmul and bmm of many rows, which threads share; numpy's products run on one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.flags import CLAMPED
from lite.kernels.cpu.host import host_function, on_host
from lite.kernels.cpu.native.function import FREE, Function
from lite.ops import Meta
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_pack_panels, _multiply_matrices = Function("matmul.pack_panels"), Function("matmul.multiply_matrices")

_LEAST_ROWS, _LEAST_COST = 64, 1 << 23
"""Rows for which it pays to pack the other matrix, and multiplications that are worth another thread."""


def _prepare(op: str, turn_x: str, turn_y: str) -> Callable[[PrepareContext], KernelFunction | None]:
    def prepare(ctx: PrepareContext) -> KernelFunction | None:
        attrs: Any = ctx.attrs
        x, y, z = ctx.inputs["X"][0], ctx.inputs["Y"][0], ctx.outputs["Out"][0]
        if not (x.is_static and y.is_static and z.is_static):
            return None
        is_turned = bool(attrs.get(turn_y))
        sizes = (
            None
            if attrs.get(turn_x) or y.dtype is not DType.FLOAT32
            else _sizes(_ints(x), _ints(y), is_turned)
        )
        if sizes is None:
            return host_function(op, ctx)
        return _product(ctx, *sizes, is_turned, float(attrs.get("alpha", 1.0)), tuple(_ints(z)))

    return prepare


def _ints(meta: Meta) -> list[int]:
    return [int(dim) for dim in meta.dims if isinstance(dim, int)]


def _sizes(x: list[int], y: list[int], is_turned: bool) -> tuple[int, int, int, int] | None:
    """The number of matrices, and rows, depth and columns of each; None where numpy's pays."""
    if len(x) < 2 or len(y) < 2 or not math.prod(x) * math.prod(y):
        return None
    depth, channels = y[-2:] if not is_turned else y[:-3:-1]
    if len(y) == 2:
        found = 1, math.prod(x[:-1]), depth, channels
    elif x[:-2] == y[:-2]:
        found = math.prod(x[:-2]), x[-2], depth, channels
    else:
        return None
    return found if found[1] >= _LEAST_ROWS and math.prod(found) >= _LEAST_COST else None


def _product(
    ctx: PrepareContext, matrices: int, rows: int, depth: int, channels: int, is_turned: bool, alpha: float,
    shape: tuple[int, ...],
) -> KernelFunction:  # fmt: skip
    from lite.kernels.cpu.tile_sizes import LANES, ROWS, columns_for

    columns = columns_for(channels)
    lanes = columns * LANES
    panels = -(-channels // lanes)
    panel = ctx.scratch((matrices * panels * depth * lanes,))
    bias = np.zeros(panels * lanes, np.float32)
    parameters = np.array([alpha, 0, -np.inf, np.inf, 0], np.float32)
    pack = _pack_panels.bind(
        FREE, FREE, depth, channels, lanes, int(is_turned),
        count=matrices * panels, cost=PER_ELEMENT * matrices * depth * channels,
    )  # fmt: skip
    multiply = _multiply_matrices.bind(
        FREE, FREE, bias, parameters, FREE, CLAMPED if alpha != 1.0 else 0, columns, rows, depth, channels,
        count=matrices * rows, cost=matrices * rows * depth * channels, grain=ROWS[columns],
    )  # fmt: skip

    def run(X: Array, Y: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        pack(Y, panel.array)
        multiply(X, panel.array, result)
        return result

    return run


@kernel("matmul_v2", "cpu", dtype=DType.FLOAT32, prepare=_prepare("matmul_v2", "trans_x", "trans_y"))
def matmul_v2(
    X: Array, Y: Array, *, trans_x: bool = False, trans_y: bool = False, out: Array | None = None
) -> Array:
    """X · Y over the last two axes, the others broadcast; a vector loses the axis that was added to it."""
    return on_host("matmul_v2", {"X": X, "Y": Y}, {"trans_x": trans_x, "trans_y": trans_y}, out)


@kernel("matmul", "cpu", dtype=DType.FLOAT32, prepare=_prepare("matmul", "transpose_X", "transpose_Y"))
def matmul(
    X: Array,
    Y: Array,
    *,
    transpose_X: bool = False,
    transpose_Y: bool = False,
    alpha: float = 1.0,
    out: Array | None = None,
) -> Array:
    """alpha · X · Y, as matmul_v2; but a vector that is to be transposed becomes a column (X) or row (Y)."""
    attrs = {"transpose_X": transpose_X, "transpose_Y": transpose_Y, "alpha": alpha}
    return on_host("matmul", {"X": X, "Y": Y}, attrs, out)


@kernel("bmm", "cpu", dtype=DType.FLOAT32, prepare=_prepare("bmm", "", ""))
def bmm(X: Array, Y: Array, *, out: Array | None = None) -> Array:
    """X · Y for every index of the first axis."""
    return on_host("bmm", {"X": X, "Y": Y}, {}, out)
