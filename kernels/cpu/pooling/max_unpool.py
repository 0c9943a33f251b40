"""max_unpool to the size of the pooling's input."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.index.failures import IndexFailures
from lite.kernels.cpu.native.function import FREE, Function
from lite.ops.window import windows
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_unpool = Function("pool_places.unpool")


@kernel("max_unpool", "cpu", dtype=DType.FLOAT32, fallback="host")
def max_unpool(ctx: PrepareContext) -> KernelFunction | None:
    """The elements of X at Indices ``int64`` of the output, zeros elsewhere.

    The host runs the op for a Shape other than that of the pooling's input, whose indices may be of either.
    """
    attrs, [x], [index] = ctx.attrs, ctx.inputs["X"], ctx.inputs["Indices"]
    ksize, shape = attrs.integers("ksize"), ctx.outputs["Out"][0].sizes
    over = windows(
        x.sizes[2:],
        ksize,
        attrs.integers("strides"),
        [1] * len(ksize),
        attrs.integers("paddings"),
        "EXPLICIT",
    )
    own = (window.transposed(size) for window, size in zip(over, x.sizes[2:], strict=True))
    is_whole = (*x.sizes[:2], *own) == shape and index.sizes == x.sizes
    if not is_whole or index.dtype is not DType.INT64 or 0 in (*x.sizes, *shape):
        return None
    count, size = math.prod(x.sizes), math.prod(shape)
    failures = IndexFailures("Indices", [size], negative=False)
    compute = _unpool.bind(
        FREE, FREE, FREE, failures.array, count, size, count=1, cost=PER_ELEMENT * (2 * count + size)
    )

    def run(X: Array, Indices: Array, Shape: Array | None, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        compute(X, Indices, result)
        return result

    return only_launches(run, failures.error)
