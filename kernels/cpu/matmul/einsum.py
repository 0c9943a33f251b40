"""einsum of two tensors whose equation is that of a matrix product."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

from lite.ir.types import DType
from lite.kernels.cpu.matmul.products import Products, products
from lite.ops.einsum_terms import terms
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches


@kernel("einsum", "cpu", dtype=DType.FLOAT32, fallback="host")
def einsum(ctx: PrepareContext) -> KernelFunction | None:
    """Products such as ``bhid,bhjd->bhij`` and ``bij,bjd->bid``, with axes in the order of a product's."""
    metas = ctx.inputs["Operands"]
    operands, result = terms(ctx.attrs.text("equation"))
    if len(metas) != 2 or any(meta.dtype is not DType.FLOAT32 for meta in metas):
        return None
    sizes: dict[str, int] = {}
    for letters, meta in zip(operands, metas, strict=True):
        if len(set(letters)) != len(letters) or "." in letters:
            return None
        for letter, size in zip(letters, meta.sizes, strict=True):
            # An axis of size 1 may stand for one of any size.
            if sizes.setdefault(letter, size) != size:
                return None
    x, y = operands
    found = _products(x, y, result, sizes)
    run = None if found is None else products(ctx, found)
    if run is None:
        return None

    def multiply(Operands: list[Array], *, out: Array | None = None) -> Array:
        multiplied: Array = run(*Operands, out=out)
        return multiplied

    return only_launches(multiply)


def _products(x: str, y: str, result: str, sizes: Mapping[str, int]) -> Products | None:
    """The products of axes ``[batch, rows, depth]`` and ``[batch, depth, channels]``, or its transpose."""
    shared = itertools.takewhile(lambda letters: len(set(letters)) == 1, zip(x, y, result, strict=False))
    batch = "".join(letter for letter, *_ in shared)
    rows = "".join(letter for letter in x if letter not in y)
    depth = "".join(letter for letter in x if letter in y and letter not in result)
    channels = "".join(letter for letter in y if letter not in x)
    if x != batch + rows + depth or result != batch + rows + channels:
        return None
    if y not in (batch + depth + channels, batch + channels + depth):
        return None
    matrices, row_count, depth_size, channel_count = (
        math.prod(sizes[letter] for letter in axes) for axes in (batch, rows, depth, channels)
    )
    is_transposed = y != batch + depth + channels
    return Products(matrices, matrices, row_count, depth_size, channel_count, is_transposed)
