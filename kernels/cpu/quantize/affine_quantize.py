"""affine_quantize to uint8 and affine_dequantize from uint8, with one constant scale and zero point."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.native.job import FREE
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_quantize = Function("quantize.quantize")
_dequantize = Function("quantize.dequantize")

_GRAIN = 4096
"""The fewest elements that a worker receives."""


def _numbers(ctx: PrepareContext) -> tuple[float, float] | None:
    """The scale and the zero point; None unless each is one constant number."""
    scale, zero = ctx.constant("Scale"), ctx.constant("ZeroPoint")
    if scale is None or scale.size != 1 or scale.dtype != np.float32:
        return None
    if zero is None:
        return None if ctx.inputs.get("ZeroPoint") else (float(scale.reshape(-1)[0]), 0.0)
    return (float(scale.reshape(-1)[0]), float(zero.reshape(-1)[0])) if zero.size == 1 else None


def _prepare(ctx: PrepareContext, function: Function, x: DType, y: DType) -> KernelFunction | None:
    numbers, out = _numbers(ctx), ctx.outputs["Out"][0]
    if numbers is None or ctx.inputs["X"][0].dtype is not x or out.dtype is not y:
        return None
    count, shape, dtype = math.prod(out.sizes), out.sizes, out.dtype.numpy
    compute = function.bind(FREE, FREE, *numbers, count=count, cost=2 * PER_ELEMENT * count, grain=_GRAIN)

    def run(X: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, dtype) if out is None else out
        compute(X, result)
        return result

    return only_launches(run)


@kernel(
    "affine_quantize", "cpu", dtype=DType.FLOAT32, slots=("X",), packs=("Scale", "ZeroPoint"), fallback="host"
)
def affine_quantize(ctx: PrepareContext) -> KernelFunction | None:
    """float32 X → uint8: round(X / Scale) + ZeroPoint, halves to even, saturated to 0 to 255."""
    return _prepare(ctx, _quantize, DType.FLOAT32, DType.UINT8)


@kernel(
    "affine_dequantize",
    "cpu",
    dtype=DType.FLOAT32,
    slots=("X",),
    packs=("Scale", "ZeroPoint"),
    fallback="host",
)
def affine_dequantize(ctx: PrepareContext) -> KernelFunction | None:
    """uint8 X → float32: (X - ZeroPoint) · Scale."""
    return _prepare(ctx, _dequantize, DType.UINT8, DType.FLOAT32)
