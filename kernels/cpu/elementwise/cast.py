"""cast of many elements, as a compiled loop."""

from __future__ import annotations

import math
from collections.abc import Mapping

from lite.ir.types import DType
from lite.kernels.cpu.elementwise.few_elements import cast_of_few
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.plugin.kernel import KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_LOOPS: Mapping[tuple[DType, DType], Function] = {
    (DType.BOOL, DType.FLOAT32): Function("cast.byte_to_single"),
    (DType.FLOAT16, DType.FLOAT32): Function("cast.half_to_single"),
    (DType.FLOAT32, DType.BOOL): Function("cast.single_to_bool"),
    (DType.FLOAT32, DType.FLOAT16): Function("cast.single_to_half"),
    (DType.INT32, DType.FLOAT32): Function("cast.int32_to_single"),
    (DType.UINT8, DType.FLOAT32): Function("cast.byte_to_single"),
}
"""By the types of X and of the result."""

_GRAIN = 4096
"""Elements of a worker's least share."""


@kernel("cast", "cpu", fallback="host")
def cast(ctx: PrepareContext) -> KernelFunction | None:
    """X as elements of another type.

    None, for the host, for many elements of pairs of types that are not in `_LOOPS`, and for float16 where
    the processor does not convert it.
    """
    from lite.kernels.cpu.tile_sizes import HAS_HALVES

    [x], [out] = ctx.inputs["X"], ctx.outputs["Out"]
    few = cast_of_few(ctx)
    loop = _LOOPS.get((x.dtype, out.dtype))
    if few is not None or loop is None or (DType.FLOAT16 in (x.dtype, out.dtype) and not HAS_HALVES):
        return few
    count = math.prod(out.sizes)
    return launching(loop.bind(FREE, FREE, count=count, cost=PER_ELEMENT * count, grain=_GRAIN), out)
