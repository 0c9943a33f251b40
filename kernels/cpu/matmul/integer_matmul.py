"""integer_matmul: a product of bytes with the processor's dot products."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.codes import SUMS
from lite.kernels.cpu.convolution.epilogue import Results
from lite.kernels.cpu.matmul.integer_products import IntegerProducts, Operand, packed_columns, packed_rows
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_multiply, _spread = Function("integers.multiply"), Function("integers.spread")

_PARAMETERS = np.zeros(5, np.float32)


@kernel("integer_matmul", "cpu", fallback="host")
def integer_matmul(ctx: PrepareContext) -> KernelFunction | None:
    """X · Y minus their zero points; the leading axes of one are the last ones of the other's."""
    sizes = IntegerProducts.of(ctx.inputs["X"][0].sizes, ctx.inputs["Y"][0].sizes)
    first, second = Operand.of(ctx, "X", DType.UINT8), Operand.of(ctx, "Y", DType.INT8)
    if sizes is None or first is None or second is None:
        return None
    from lite.kernels.cpu.tile_sizes import LANES, ROWS, columns_for

    width = columns_for(sizes.channels)
    rows, columns = packed_rows(ctx, sizes, first), packed_columns(ctx, sizes, second, width * LANES)
    if rows is None or columns is None:
        return None
    shape, dtype = ctx.outputs["Out"][0].sizes, ctx.outputs["Out"][0].dtype.numpy
    padded = -(-sizes.channels // (width * LANES)) * width * LANES
    is_scaled = bool(ctx.inputs.get("Scale"))
    end = Results.of(
        0, ctx.attrs.real("out_scale") if is_scaled else 0.0, ctx.attrs.integer("out_zero_point")
    )
    vectors = [_vector(ctx, slot, sizes.channels, padded) for slot in ("Scale", "Bias")] if is_scaled else []
    compute = _multiply.bind(
        FREE, FREE, FREE, FREE, *([FREE, FREE] if is_scaled else [None, None]), _PARAMETERS,
        end.out if is_scaled else None, end.codes, None if is_scaled else FREE,
        end.flags if is_scaled else SUMS, width, sizes.rows, -(-sizes.depth // 4), sizes.channels,
        sizes.firsts, sizes.others, end.scale, end.zero,
        count=sizes.matrices * sizes.rows, cost=sizes.cost / 4, grain=ROWS[width],
    )  # fmt: skip

    def run(
        X: Array, Y: Array, XZeroPoint: Array | None, YZeroPoint: Array | None, Scale: Array | None,
        Bias: Array | None, *, out: Array | None = None,
    ) -> Array:  # fmt: skip
        result = np.empty(shape, dtype) if out is None else out
        numbers = [vector(given) for vector, given in zip(vectors, (Scale, Bias), strict=False)]
        compute(*rows(X, XZeroPoint), *columns(Y, YZeroPoint), *numbers, result)
        return result

    return only_launches(run)


def _vector(ctx: PrepareContext, slot: str, channels: int, padded: int) -> Callable[[Array | None], Array]:
    """A function from an operand, or None, to one number for each column, padded with zeros."""
    metas, constant = ctx.inputs.get(slot), ctx.constant(slot)
    if not metas or constant is not None:
        fixed = np.zeros(padded, np.float32)
        if constant is not None:
            fixed[:channels] = constant.reshape(-1)
        return lambda _: fixed
    scratch, size = ctx.scratch((padded,)), math.prod(metas[0].sizes)
    job = _spread.bind(FREE, FREE, size, channels, count=padded, cost=PER_ELEMENT * padded)

    def fill(given: Array | None) -> Array:
        assert given is not None
        job(given, scratch.array)
        return scratch.array

    return fill
