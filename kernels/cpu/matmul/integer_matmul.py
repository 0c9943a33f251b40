"""integer_matmul: a product of bytes with the processor's dot products."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.codes import SUMS
from lite.kernels.cpu.matmul.integer_products import IntegerProducts, Operand, packed_columns, packed_rows
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel

_multiply = Function("integers.multiply")


@kernel("integer_matmul", "cpu", fallback="host")
def integer_matmul(ctx: PrepareContext) -> KernelFunction | None:
    """X · Y minus their zero points, int32; the leading axes of one are the last ones of the other's."""
    sizes = IntegerProducts.of(ctx.inputs["X"][0].sizes, ctx.inputs["Y"][0].sizes)
    first, second = Operand.of(ctx, "X", DType.UINT8), Operand.of(ctx, "Y", DType.INT8)
    if sizes is None or first is None or second is None:
        return None
    from lite.kernels.cpu.tile_sizes import LANES, ROWS, columns_for

    width = columns_for(sizes.channels)
    rows, columns = packed_rows(ctx, sizes, first), packed_columns(ctx, sizes, second, width * LANES)
    if rows is None or columns is None:
        return None
    shape = ctx.outputs["Out"][0].sizes
    compute = _multiply.bind(
        FREE, FREE, FREE, FREE, None, None, np.zeros(5, np.float32), None, None, FREE, SUMS, width,
        sizes.rows, -(-sizes.depth // 4), sizes.channels, sizes.firsts, sizes.others, 0.0, 0.0,
        count=sizes.matrices * sizes.rows, cost=sizes.cost / 4, grain=ROWS[width],
    )  # fmt: skip

    def run(
        X: Array, Y: Array, XZeroPoint: Array | None, YZeroPoint: Array | None, *, out: Array | None = None
    ) -> Array:
        result = np.empty(shape, np.int32) if out is None else out
        compute(*rows(X, XZeroPoint), *columns(Y, YZeroPoint), result)
        return result

    return run
