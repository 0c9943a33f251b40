"""affine_quantize to integers of 8 and 16 bits, and affine_dequantize from them, with constant scales."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.ops import Meta
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_quantize, _dequantize = Function("quantize.quantize"), Function("quantize.dequantize")
_quantize_planes = Function("quantize.quantize_planes")
_quantize_words, _dequantize_words = Function("words.quantize"), Function("words.dequantize")

_GRAIN = 4096
"""The fewest elements that a worker receives."""

_BYTES = (DType.INT8, DType.UINT8)

_WORDS = {DType.INT16: -32768.0, DType.UINT16: 0.0}
"""The types of 16 bits, and their lowest numbers."""


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
    """float32 X → integers: round(X / Scale) + ZeroPoint, halves to even, saturated; NaN becomes 0.

    One scale, or for bytes one for each index of an axis before others; the host has those of the last axis,
    of blocks, and computed ones.
    """
    [x], [out] = ctx.inputs["X"], ctx.outputs["Out"]
    numbers, is_signed = _numbers(ctx), int(out.dtype is DType.INT8)
    if numbers is None or x.dtype is not DType.FLOAT32:
        return None
    scales, zeros = numbers
    count = math.prod(out.sizes)
    cost = 2 * PER_ELEMENT * count
    if scales.size == 1:
        return _launching(_quantize, _quantize_words, (scales[0], zeros[0]), out.dtype, out)
    if out.dtype not in _BYTES:
        return None
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
    """Integers X → float32: (X - ZeroPoint) · Scale with one scale; the host has others."""
    [x], [out] = ctx.inputs["X"], ctx.outputs["Out"]
    numbers = _numbers(ctx)
    if numbers is None or numbers[0].size != 1 or out.dtype is not DType.FLOAT32:
        return None
    return _launching(_dequantize, _dequantize_words, (numbers[0][0], numbers[1][0]), x.dtype, out)


def _launching(
    of_bytes: Function, of_words: Function, numbers: tuple[float, float], stored: DType, out: Meta
) -> KernelFunction | None:
    """The function for the type of the integers, with one scale and zero point; None for other types."""
    scale, zero = map(float, numbers)
    count = math.prod(out.sizes)
    cost = 2 * PER_ELEMENT * count
    if stored in _BYTES:
        is_signed = int(stored is DType.INT8)
        job = of_bytes.bind(FREE, FREE, scale, zero, is_signed, count=count, cost=cost, grain=_GRAIN)
    elif stored in _WORDS:
        job = of_words.bind(FREE, FREE, scale, zero, _WORDS[stored], count=count, cost=cost, grain=_GRAIN)
    else:
        return None
    return launching(job, out)
