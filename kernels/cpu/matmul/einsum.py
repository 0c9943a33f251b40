"""einsum of two tensors by a matrix product, with transposes around it where axes are in another order.

One tensor is transposed, or its diagonals are copied.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.matmul.products import Products, products
from lite.kernels.cpu.native.job import Job
from lite.kernels.cpu.shape.box import box_copy
from lite.kernels.cpu.shape.transpose import transposition
from lite.ops.einsum_product import ProductAxes, product_axes
from lite.ops.einsum_terms import expanded
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.scratch import Scratch


@kernel("einsum", "cpu", dtype=DType.FLOAT32, fallback="host")
def einsum(ctx: PrepareContext) -> KernelFunction | None:
    """Products such as ``bhid,bhjd->bhij`` and ``ibnd,jbnd->bnij``; no sums along an axis of one operand."""
    metas = ctx.inputs["Operands"]
    operands, result = expanded(ctx.attrs.text("equation"), [len(meta.sizes) for meta in metas])
    if len(metas) == 1 and metas[0].dtype is DType.FLOAT32:
        return _rearranged(ctx, operands[0], result)
    if len(metas) != 2 or any(meta.dtype is not DType.FLOAT32 for meta in metas):
        return None
    sizes: dict[str, int] = {}
    for letters, meta in zip(operands, metas, strict=True):
        if len(set(letters)) != len(letters):
            return None
        for letter, size in zip(letters, meta.sizes, strict=True):
            # An axis of size 1 may stand for one of any size.
            if sizes.setdefault(letter, size) != size:
                return None
    x, y = operands
    axes = product_axes(x, y, result)
    if axes is None:
        return None
    # The axis that is last in memory should stay the last one.
    is_transposed = y == axes.y(is_transposed=True) or (
        y != axes.y(is_transposed=False) and y[-1] in axes.depth
    )
    run = products(ctx, _sizes(axes, sizes, is_transposed))
    orders = ((x, axes.x), (y, axes.y(is_transposed=is_transposed)), (axes.result, result))
    turns = [_turn(ctx, letters, form, sizes) for letters, form in orders]
    first, second, last = turns
    if run is None or first is None or second is None or last is None:
        return None
    shape = ctx.outputs["Out"][0].sizes

    def multiply(Operands: list[Array], *, out: Array | None = None) -> Array:
        written = np.empty(shape, np.float32) if out is None else out
        transposed = [turn(array) for turn, array in zip((first, second), Operands, strict=True)]
        if last.job is None or last.memory is None:
            run(*transposed, out=written)
        else:
            run(*transposed, out=last.memory.array)
            last.job(last.memory.array, written)
        return written

    return only_launches(multiply)


def _rearranged(ctx: PrepareContext, letters: str, result: str) -> KernelFunction | None:
    """One operand with its axes in another order, or its diagonals; None for sums and many axes."""
    shape, out = ctx.inputs["Operands"][0].sizes, ctx.outputs["Out"][0]
    if set(letters) != set(result) or 0 in shape or not letters:
        return None
    steps, sizes = dict.fromkeys(letters, 0), dict(zip(letters, shape, strict=True))
    for place, (letter, size) in enumerate(zip(letters, shape, strict=True)):
        steps[letter] += math.prod(shape[place + 1 :])
        if sizes[letter] != size:
            return None
    if len(letters) == len(result):
        job = transposition(shape, [letters.index(letter) for letter in result])
    else:
        job = box_copy(0, [(sizes[letter], steps[letter]) for letter in result])
    if job is None:
        return None
    out_shape = out.sizes

    def run(Operands: list[Array], *, out: Array | None = None) -> Array:
        written = np.empty(out_shape, np.float32) if out is None else out
        job(Operands[0], written)
        return written

    return only_launches(run)


def _sizes(axes: ProductAxes, sizes: Mapping[str, int], is_transposed: bool) -> Products:
    matrices, rows, depth, channels = (math.prod(sizes[letter] for letter in letters) for letters in axes)
    return Products(matrices, matrices, rows, depth, channels, is_transposed)


class _Turn(NamedTuple):
    """A transpose to memory of its own; without `job`, the order of the axes is right as it is."""

    job: Job | None
    memory: Scratch | None

    def __call__(self, array: Array) -> Array:
        if self.job is None or self.memory is None:
            return array
        self.job(array, self.memory.array)
        return self.memory.array


def _turn(ctx: PrepareContext, letters: str, form: str, sizes: Mapping[str, int]) -> _Turn | None:
    """What gives axes the order of `form`; None for too many axes.  A result is in memory before."""
    shape = [sizes[letter] for letter in letters]
    kept = [letter for letter in letters if sizes[letter] != 1]
    if kept == [letter for letter in form if sizes[letter] != 1]:
        return _Turn(None, None)
    job = transposition(shape, [letters.index(letter) for letter in form])
    return None if job is None else _Turn(job, ctx.scratch((math.prod(shape),)))
