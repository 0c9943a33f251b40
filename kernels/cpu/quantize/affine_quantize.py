"""affine_quantize to bytes and affine_dequantize from bytes, signed or not, with constant scales."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_quantize, _dequantize = Function("quantize.quantize"), Function("quantize.dequantize")
_quantize_planes = Function("quantize.quantize_planes")

_GRAIN = 4096
"""The fewest elements that a worker receives."""

_BYTES = (DType.INT8, DType.UINT8)


def _numbers(ctx: PrepareContext) -> tuple[Array, Array] | None:
    """The scales and the zero points, float32[n]; None unless they are constant."""
    scale, zero = ctx.constant("Scale"), ctx.constant("ZeroPoint")
    if scale is None or scale.dtype != np.float32 or (zero is None and ctx.inputs.get("ZeroPoint")):
        return None
    zeros = np.zeros(1, np.float32) if zero is None else zero.reshape(-1).astype(np.float32)
    if zeros.size not in (1, scale.size):
        return None
    return scale.reshape(-1), np.ascontiguousarray(np.broadcast_to(zeros, scale.size))


@kernel(
    "affine_quantize", "cpu", dtype=DType.FLOAT32, slots=("X",), packs=("Scale", "ZeroPoint"), fallback="host"
)
def affine_quantize(ctx: PrepareContext) -> KernelFunction | None:
    """float32 X → bytes: round(X / Scale) + ZeroPoint, halves to even, saturated; NaN becomes 0.

    One scale, or one for each index of an axis before others; the host has those of the last axis, of blocks,
    and computed ones.
    """
    [x], [out] = ctx.inputs["X"], ctx.outputs["Out"]
    numbers, is_signed = _numbers(ctx), int(out.dtype is DType.INT8)
    if numbers is None or x.dtype is not DType.FLOAT32 or out.dtype not in _BYTES:
        return None
    scales, zeros = numbers
    count = math.prod(out.sizes)
    cost = 2 * PER_ELEMENT * count
    if scales.size == 1:
        job = _quantize.bind(
            FREE, FREE, float(scales[0]), float(zeros[0]), is_signed, count=count, cost=cost, grain=_GRAIN
        )
        return launching(job, out)
    axis = ctx.attrs.integer("axis") % len(out.sizes)
    size = math.prod(out.sizes[axis + 1 :])
    if ctx.attrs.integer("block_size") or scales.size != out.sizes[axis] or size < 2:
        return None
    planes = count // size
    job = _quantize_planes.bind(
        FREE,
        FREE,
        scales,
        zeros,
        scales.size,
        size,
        is_signed,
        count=planes,
        cost=cost,
        grain=-(-_GRAIN // size),
    )
    return launching(job, out)


@kernel(
    "affine_dequantize",
    "cpu",
    dtype=DType.FLOAT32,
    slots=("X",),
    packs=("Scale", "ZeroPoint"),
    fallback="host",
)
def affine_dequantize(ctx: PrepareContext) -> KernelFunction | None:
    """Bytes X → float32: (X - ZeroPoint) · Scale with one scale; the host has others."""
    [x], [out] = ctx.inputs["X"], ctx.outputs["Out"]
    numbers, is_signed = _numbers(ctx), int(x.dtype is DType.INT8)
    if numbers is None or numbers[0].size != 1 or x.dtype not in _BYTES or out.dtype is not DType.FLOAT32:
        return None
    scale, zero = (float(each[0]) for each in numbers)
    count = math.prod(out.sizes)
    job = _dequantize.bind(
        FREE, FREE, scale, zero, is_signed, count=count, cost=2 * PER_ELEMENT * count, grain=_GRAIN
    )
    return launching(job, out)
