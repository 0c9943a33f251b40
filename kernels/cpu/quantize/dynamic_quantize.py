"""dynamic_quantize: the range of X by blocks, and then its integers."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_extremes, _quantize = Function("quantize.extremes"), Function("quantize.quantize_by")
_choose_scale = Function("quantize.choose_scale")

_GRAIN = 4096
"""Elements of a worker's least share."""


@kernel("dynamic_quantize", "cpu", dtype=DType.FLOAT32, fallback="host")
def dynamic_quantize(ctx: PrepareContext) -> KernelFunction | None:
    """ONNX DynamicQuantizeLinear: X as uint8, with the scale and zero point for its range and 0."""
    from lite.kernels.cpu.tile_sizes import BLOCK

    shape = ctx.inputs["X"][0].sizes
    count = math.prod(shape)
    if not count:
        return None
    blocks = -(-count // BLOCK)
    ranges, numbers = ctx.scratch((blocks, 2)), ctx.scratch((2,))
    measure = _extremes.bind(FREE, FREE, count, count=blocks, cost=PER_ELEMENT * count // 2)
    choose = _choose_scale.bind(FREE, FREE, FREE, FREE, blocks)
    quantize = _quantize.bind(FREE, FREE, FREE, count=count, cost=2 * PER_ELEMENT * count, grain=_GRAIN)

    def run(X: Array, *, out: tuple[Array, ...] | None = None) -> tuple[Array, ...]:
        codes, scale, zero = out or (
            np.empty(shape, np.uint8),
            np.empty((), np.float32),
            np.empty((), np.uint8),
        )
        measure(X, ranges.array)
        choose(ranges.array, numbers.array, scale, zero)
        quantize(X, codes, numbers.array)
        return codes, scale, zero

    return only_launches(run)
