"""Products of two tensors of bytes: packs what is constant once, and the rest in each run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Job
from lite.plugin.kernel import Array, PrepareContext
from lite.plugin.kernel.run_context import PER_ELEMENT

_pack_rows, _pack_columns = Function("integers.pack_rows"), Function("integers.pack_columns")

_SIGN = 0x80


@dataclass(frozen=True)
class IntegerProducts:
    """`matrices` products of ``[rows, depth]`` and ``[depth, channels]``.

    Matrix n is the product of the first operand's ``n % firsts`` and of the second one's ``n % others``.
    `height` are the rows of a matrix of the model, of which several may be one here.
    """

    matrices: int
    firsts: int
    others: int
    rows: int
    depth: int
    channels: int
    height: int

    @classmethod
    def of(cls, x: Sequence[int], y: Sequence[int]) -> IntegerProducts | None:
        """What is multiplied; None for vectors, for nothing, and for other broadcasts."""
        if len(x) < 2 or len(y) < 2:
            return None
        first, second = _leading(x), _leading(y)
        if not second:
            # One matrix: the rows of all matrices of X are those of one.
            first, rows = [], math.prod(x[:-1])
        else:
            rows = x[-2]
        longer, shorter = sorted((first, second), key=len)[::-1]
        if longer[len(longer) - len(shorter) :] != shorter or 0 in (rows, *x, *y):
            return None
        return cls(math.prod(longer), math.prod(first), math.prod(second), rows, x[-1], y[-1], x[-2])

    @property
    def cost(self) -> int:
        """The multiplications."""
        return self.matrices * self.rows * self.depth * self.channels


def _leading(shape: Sequence[int]) -> list[int]:
    lead = list(shape[:-2])
    while lead and lead[0] == 1:
        del lead[0]
    return lead


@dataclass(frozen=True, eq=False)
class Operand:
    """An operand of bytes and its zero points: a value, or the elements of a constant."""

    flip: int
    zero_shape: tuple[int, ...]
    array: Array | None
    zero_points: Array | None

    @classmethod
    def of(cls, ctx: PrepareContext, slot: str, other: DType) -> Operand | None:
        """The operand in a slot, to be packed as `other`; None for other types than bytes."""
        meta, zeros = ctx.inputs[slot][0], ctx.inputs.get(f"{slot}ZeroPoint")
        if meta.dtype not in (DType.UINT8, DType.INT8):
            return None
        if zeros and zeros[0].dtype is not meta.dtype:
            return None
        points = ctx.constant(f"{slot}ZeroPoint") if zeros else np.zeros(1, meta.dtype.numpy)
        shape = zeros[0].sizes if zeros else ()
        flip = 0 if meta.dtype is other else _SIGN
        return cls(flip, tuple(shape), ctx.constant(slot), points)

    def zeros(self, size: int, matrices: int, axis: int) -> int | None:
        """The number of zero points: 1, `size`, or that for each of the matrices; None for other forms.

        `axis`, -2 or -1, is that of rows or columns.
        """
        shape, count = self.zero_shape, math.prod(self.zero_shape)
        if count == 1 or shape == (size,):
            return count
        is_line = len(shape) >= 2 and shape[axis] == size and shape[-3 - axis] == 1
        return count if is_line and count in (size, matrices * size) else None


Pack = Callable[[Array | None, Array | None], tuple[Array, Array]]
"""From an operand and its zero points, or None for constant ones, to the packed bytes and their numbers."""


def packed_rows(ctx: PrepareContext, sizes: IntegerProducts, operand: Operand) -> Pack | None:
    """Packs the first operand; None for a number of zero points that does not fit."""
    count = sizes.firsts * sizes.rows
    zeros = operand.zeros(sizes.height, count // sizes.height, -2)
    if zeros is None:
        return None
    job = _pack_rows.bind(
        FREE, FREE, FREE, FREE, sizes.depth, operand.flip, zeros,
        count=count, cost=PER_ELEMENT * count * sizes.depth // 4,
    )  # fmt: skip
    return _pack(ctx, "rows", operand, job, count * _whole(sizes.depth), 2 * count)


def packed_columns(ctx: PrepareContext, sizes: IntegerProducts, operand: Operand, panel: int) -> Pack | None:
    """Packs the second operand in panels; None for a number of zero points that does not fit."""
    zeros = operand.zeros(sizes.channels, sizes.others, -1)
    if zeros is None:
        return None
    count = sizes.others * -(-sizes.channels // panel)
    job = _pack_columns.bind(
        FREE, FREE, FREE, FREE, sizes.depth, sizes.channels, panel, operand.flip, zeros,
        count=count, cost=PER_ELEMENT * count * panel * sizes.depth // 4,
    )  # fmt: skip
    return _pack(
        ctx, f"columns {panel}", operand, job, count * panel * _whole(sizes.depth), 2 * count * panel
    )


def _whole(depth: int) -> int:
    return -(-depth // 4) * 4


def _pack(ctx: PrepareContext, name: str, operand: Operand, job: Job, size: int, numbers: int) -> Pack:
    """`size` bytes and, after them, `numbers` int32: of a constant, once, or in scratch memory."""
    if operand.array is None or operand.zero_points is None:
        scratch = ctx.scratch((size + 4 * numbers,), np.uint8)
        zeros = operand.zero_points

        def pack(array: Array | None, points: Array | None) -> tuple[Array, Array]:
            given = operand.array if array is None else array
            points = zeros if points is None else points
            assert given is not None
            assert points is not None
            parts = _parts(scratch.array, size)
            job(_bytes(given), _bytes(points), *parts)
            return parts

        return pack
    array, points = operand.array, operand.zero_points

    def make() -> Array:
        memory = np.empty(size + 4 * numbers, np.uint8)
        job(_bytes(array), _bytes(points), *_parts(memory, size))
        return memory

    fixed = _parts(ctx.shared(f"{name} {operand.flip}", make), size)
    return lambda *_: fixed


def _parts(memory: Array, size: int) -> tuple[Array, Array]:
    return memory[:size], memory[size:].view(np.int32)


def _bytes(array: Array) -> Array:
    return array.view(np.uint8)
