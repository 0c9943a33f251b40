"""Products of tensors, the second of which is packed in panels in each run."""

from __future__ import annotations

import math

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.cpu.codes import CLAMPED
from lite.kernels.cpu.machine import cache_elements
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_pack_panels, _multiply_matrices = Function("matmul.pack_panels"), Function("matmul.multiply_matrices")

_multiply_rows = Function("few_rows.multiply_rows")

_FEW_ROWS = 3
"""Rows up to which the other matrix is read as it is."""

_LEAST_ROWS, _SMALL = 16, 1 << 17
"""The fewest rows that are worth packing the other matrices; smaller ones, in elements, always are."""

_CACHED = 1 << 20
"""The most elements of packed matrices that are still in a cache when they are multiplied."""

_MANY_ROWS, _LEAST_COST = 64, 1 << 23
"""The rows and multiplications that are worth packing matrices of any size."""


@dataclass(frozen=True)
class Products:
    """`matrices` products of ``[rows, depth]`` and ``[depth, channels]``, or its transpose.

    Matrix n is multiplied by the second matrix ``n % others``.
    """

    matrices: int
    others: int
    rows: int
    depth: int
    channels: int
    is_transposed: bool

    @property
    def cost(self) -> int:
        """The multiplications."""
        return self.matrices * self.rows * self.depth * self.channels

    @property
    def is_worth_packing(self) -> bool:
        """Whether packing pays; there is nothing to compute where a size is 0."""
        packed = self.others * self.depth * self.channels
        if not self.cost or (self.rows < _LEAST_ROWS and packed > _SMALL):
            return False
        return packed <= _CACHED or (self.rows >= _MANY_ROWS and self.cost >= _LEAST_COST)


def _few_rows(ctx: PrepareContext, sizes: Products, alpha: float) -> KernelFunction | None:
    """None for several rows and a matrix that no cache holds until it is read again."""
    if sizes.rows > 1 and sizes.depth * sizes.channels > cache_elements():
        return None
    shape = ctx.outputs["Out"][0].sizes
    multiply = _multiply_rows.bind(
        FREE, FREE, FREE, alpha, sizes.rows, sizes.depth, sizes.channels, sizes.others,
        int(sizes.is_transposed), count=sizes.matrices, cost=sizes.cost,
    )  # fmt: skip

    def run(X: Array, Y: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        multiply(X, Y, result)
        return result

    return only_launches(run)


def products(ctx: PrepareContext, sizes: Products, alpha: float = 1.0) -> KernelFunction | None:
    """A function of two contiguous arrays: their products times `alpha`; None where the host is as fast."""
    if sizes.cost and sizes.rows <= _FEW_ROWS:
        return _few_rows(ctx, sizes, alpha)
    if not sizes.is_worth_packing:
        return None
    from lite.kernels.cpu.tile_sizes import LANES, ROWS, columns_for

    depth, channels = sizes.depth, sizes.channels
    shape = ctx.outputs["Out"][0].sizes
    columns = columns_for(channels)
    lanes = columns * LANES
    panels = -(-channels // lanes)
    panel = ctx.scratch((math.prod((sizes.others, panels, depth, lanes)),))
    bias = np.zeros(panels * lanes, np.float32)
    parameters = np.array([alpha, 0, -np.inf, np.inf, 0], np.float32)
    pack = _pack_panels.bind(
        FREE, FREE, depth, channels, lanes, int(sizes.is_transposed),
        count=sizes.others * panels, cost=PER_ELEMENT * sizes.others * depth * channels,
    )  # fmt: skip
    multiply = _multiply_matrices.bind(
        FREE, FREE, bias, parameters, FREE, CLAMPED if alpha != 1.0 else 0, columns, sizes.rows, depth,
        channels, sizes.others, count=sizes.matrices * sizes.rows, cost=sizes.cost, grain=ROWS[columns],
    )  # fmt: skip

    def run(X: Array, Y: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        pack(Y, panel.array)
        multiply(X, panel.array, result)
        return result

    return only_launches(run)
