"""tril_triu of elements of any size."""

from __future__ import annotations

import math

from lite.ir.types import DType
from lite.kernels.cpu.element_types import is_plain
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.ops.shape_input import integer
from lite.plugin.kernel import KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_keep_triangles = Function("moves.byte_moves.keep_triangles")


def tril_triu(ctx: PrepareContext) -> KernelFunction | None:
    """Matrices ``X[…, n, m]`` with zeros above (without `lower`: below) a diagonal.

    None, for the host, where the diagonal is computed, and for an empty tensor.
    """
    [x], attrs, given = ctx.inputs["X"], ctx.attrs, ctx.constant("DiagonalTensor")
    if (given is None and ctx.inputs.get("DiagonalTensor")) or 0 in x.sizes:
        return None
    rows, columns, size = *x.sizes[-2:], x.dtype.numpy.itemsize
    # All diagonals outside of a matrix are alike.
    diagonal = max(-rows, min(columns, integer(attrs.integer("diagonal"), given)))
    job = _keep_triangles.bind(
        FREE, FREE, rows, columns * size, size, diagonal, int(attrs.flag("lower")),
        count=math.prod(x.sizes[:-1]), cost=PER_ELEMENT * math.prod(x.sizes) * size // 4,
    )  # fmt: skip
    return launching(job, ctx.outputs["Out"][0])


for _dtype in filter(is_plain, DType):
    kernel("tril_triu", "cpu", dtype=_dtype, slots=("X",), packs=("DiagonalTensor",), fallback="host")(
        tril_triu
    )
