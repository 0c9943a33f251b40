"""lrn of images whose channels come first."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.ops.window import is_channel_last
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_lrn = Function("norm.lrn")

_LEAST = 1e-30
"""The least `k` for which the logarithm of the sum is that of a normal number."""


@kernel("lrn", "cpu", dtype=DType.FLOAT32, fallback="host")
def lrn(ctx: PrepareContext) -> KernelFunction | None:
    """``X · (k + alpha · Σ X²)^-beta`` over n neighbouring channels of ``float32[N, C, H, W]``.

    None, so that the host runs the op, where the sum may be 0 or negative or is a result, too.
    """
    attrs, shape = ctx.attrs, ctx.inputs["X"][0].sizes
    k, alpha = attrs.real("k"), attrs.real("alpha")
    if is_channel_last(attrs.text("data_format")) or ctx.outputs.get("MidOut") or 0 in shape:
        return None
    if k < _LEAST or alpha < 0:
        return None
    from lite.kernels.cpu.tile_sizes import LANES

    batch, channels, pixels, n = shape[0], shape[1], math.prod(shape[2:]), attrs.integer("n")
    compute = _lrn.bind(
        FREE, FREE, channels, pixels, n, k, alpha, -attrs.real("beta"),
        count=batch * -(-pixels // LANES), cost=PER_ELEMENT * (n + 8) * math.prod(shape),
    )  # fmt: skip

    def run(X: Array, *, out: tuple[Array | None, ...] | None = None) -> tuple[Array, None]:
        result = np.empty(shape, np.float32) if out is None or out[0] is None else out[0]
        compute(X, result)
        return result, None

    return only_launches(run)
