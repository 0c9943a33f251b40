"""float32 to bytes and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from lite.kernels.cpu.compiled.jit import emit
from lite.kernels.cpu.compiled.jit.decorators import inlined, inner, instruction
from lite.kernels.cpu.compiled.jit.emit import Emitted, at
from lite.kernels.cpu.compiled.jit.emit_bytes import quantized
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import (
    larger,
    largest,
    load,
    load_part,
    maximum,
    smaller,
    splat,
    store_part,
)
from lite.kernels.cpu.tile_sizes import BLOCK, LANES

_FLIP = ir.Constant(ir.VectorType(emit.BYTE, LANES), [128] * LANES)
"""The bits by which a signed byte differs from the byte of the number that is larger by 128."""


_ROUNDING = np.float32(3 << 22)


def _quantizer(is_signed: bool) -> Any:
    """The loop over elements `begin` to `end` whose results are bytes, signed or not."""

    @instruction
    def vector(typing: Any, x: Any, out: Any, place: Any, count: Any, scale: Any, zero: Any) -> Any:
        """Quantise `count` elements, at most `LANES`, from `place` on."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            source, target, mask, factor, summand = _operands(context, builder, sig, args)
            quotient = builder.fdiv(emit.load_masked(builder, source, mask), factor)
            if is_signed:
                is_number = builder.fcmp_ordered("ord", quotient, quotient)
                quotient = builder.select(is_number, quotient, builder.fneg(summand))
                summand = builder.fadd(summand, emit.constant(128.0))
            codes = quantized(builder, quotient, summand)
            codes = builder.xor(codes, _FLIP) if is_signed else codes
            emit.store_bytes_part(builder, codes, target, mask)
            return context.get_dummy_value()

        return types.void(x, out, types.int64, types.int64, types.float32, types.float32), generate

    return _loop_of(vector)


def _dequantizer(is_signed: bool) -> Any:
    """The loop over elements `begin` to `end` that are bytes, signed or not."""

    @instruction
    def vector(typing: Any, x: Any, out: Any, place: Any, count: Any, scale: Any, zero: Any) -> Any:
        """The reals of `count` bytes, at most `LANES`, from `place` on."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            source, target, mask, factor, summand = _operands(context, builder, sig, args)
            codes = emit.load_bytes_masked(builder, source, mask)
            convert = builder.sitofp if is_signed else builder.uitofp
            numbers = builder.fsub(convert(codes, emit.VECTOR), summand)
            emit.store_part(builder, builder.fmul(numbers, factor), target, mask)
            return context.get_dummy_value()

        return types.void(x, out, types.int64, types.int64, types.float32, types.float32), generate

    return _loop_of(vector)


def _operands(context: Any, builder: Any, sig: Any, args: Any) -> tuple[Emitted, ...]:
    """The addresses of the vectors, the mask of their lanes, and the vectors of scale and zero point."""
    source, target = (
        at(builder, emit.data(context, builder, sig.args[n], args[n]), args[2]) for n in range(2)
    )
    scale, zero = (emit.splat(builder, number) for number in args[4:])
    return source, target, emit.first_lanes(builder, args[3]), scale, zero


def _loop_of(vector: Any) -> Any:
    @inlined
    def loop(x: Any, out: Any, scale: float, zero: float, begin: int, end: int) -> None:
        whole = begin + (end - begin) // LANES * LANES
        for place in range(begin, whole, LANES):
            # LLVM knows that this mask selects all lanes.
            vector(x, out, place, LANES, scale, zero)
        if whole < end:
            vector(x, out, whole, end - whole, scale, zero)

    return loop


_quantize, _quantize_signed = _quantizer(False), _quantizer(True)
_dequantize, _dequantize_signed = _dequantizer(False), _dequantizer(True)


@entry("r", "z", "f", "f", "i")
def quantize(x: Any, out: Any, scale: float, zero: float, is_signed: int, begin: int, end: int) -> None:
    """Elements `begin` to `end`: ``round(x / scale) + zero``, halves to even, saturated to bytes.

    NaN becomes 0.
    """
    if is_signed:
        _quantize_signed(x, out, scale, zero, begin, end)
    else:
        _quantize(x, out, scale, zero, begin, end)


@entry("a", "w", "f", "f", "i")
def dequantize(x: Any, out: Any, scale: float, zero: float, is_signed: int, begin: int, end: int) -> None:
    """Elements `begin` to `end`: ``(x - zero) · scale`` of bytes."""
    if is_signed:
        _dequantize_signed(x, out, scale, zero, begin, end)
    else:
        _dequantize(x, out, scale, zero, begin, end)


@entry("r", "c", "r")
def quantize_by(x: Any, out: Any, numbers: Any, begin: int, end: int) -> None:
    """`quantize` to uint8 with the scale and the zero point in `numbers`, ``float32[2]``."""
    _quantize(x, out, numbers[0], numbers[1], begin, end)


@entry("r", "z", "r", "r", "i", "i", "i")
def quantize_planes(
    x: Any, out: Any, scales: Any, zeros: Any, channels: int, size: int, is_signed: int, begin: int, end: int
) -> None:
    """`quantize` the planes `begin` to `end`, of `size` elements, each with the numbers of its channel."""
    for plane in range(begin, end):
        n, first = plane % channels, plane * size
        if is_signed:
            _quantize_signed(x, out, scales[n], zeros[n], first, first + size)
        else:
            _quantize(x, out, scales[n], zeros[n], first, first + size)


@entry("r", "w", "i")
def extremes(x: Any, out: Any, size: int, begin: int, end: int) -> None:
    """``out[n] = (max(-v), max(v))`` of 0 and the elements v of the blocks `begin` to `end`.

    A block has `BLOCK` elements, and the last one what is left of `size`.
    """
    zero = splat(types.float32(0))
    for block in range(begin, end):
        first, last = block * BLOCK, min((block + 1) * BLOCK, size)
        low, high, low_2, high_2 = zero, zero, zero, zero
        low_3, high_3, low_4, high_4 = zero, zero, zero, zero
        far = first + (last - first) // (4 * LANES) * (4 * LANES)
        # Four vectors at a time: each waits for the one before in its chain of comparisons.
        for place in range(first, far, 4 * LANES):
            v, v_2 = load(x, place), load(x, place + LANES)
            v_3, v_4 = load(x, place + 2 * LANES), load(x, place + 3 * LANES)
            low, high = maximum(low, -v), maximum(high, v)
            low_2, high_2 = maximum(low_2, -v_2), maximum(high_2, v_2)
            low_3, high_3 = maximum(low_3, -v_3), maximum(high_3, v_3)
            low_4, high_4 = maximum(low_4, -v_4), maximum(high_4, v_4)
        for place in range(far, last - LANES + 1, LANES):
            v = load(x, place)
            low, high = maximum(low, -v), maximum(high, v)
        low = maximum(maximum(low, low_2), maximum(low_3, low_4))
        high = maximum(maximum(high, high_2), maximum(high_3, high_4))
        least, greatest = largest(low), largest(high)
        for place in range(first + (last - first) // LANES * LANES, last):
            least, greatest = max(least, -x[place]), max(greatest, x[place])
        out[2 * block], out[2 * block + 1] = least, greatest


@entry("r", "w", "w", "c", "i")
def choose_scale(ranges: Any, numbers: Any, scale: Any, zero: Any, blocks: int, begin: int, end: int) -> None:
    """The scale and the zero point for the range of `extremes`, and both in `numbers`, for `quantize_by`.

    The scale in `numbers` is 1 instead of 0.
    """
    least = greatest = np.float32(0.0)
    for block in range(blocks):
        least, greatest = max(least, ranges[2 * block]), max(greatest, ranges[2 * block + 1])
    step = (greatest + least) / np.float32(255.0)
    scale[0] = step
    divisor = step if step != 0 else np.float32(1.0)
    code = _zero_point(least / divisor)
    zero[0] = int(code)
    numbers[0], numbers[1] = divisor, code


@inlined
def _zero_point(quotient: Any) -> Any:
    """The code of 0, of the largest magnitude of negative numbers over the scale."""
    code = np.float32(0.0)
    if quotient > 255:
        code = np.float32(255.0)
    elif quotient > 0:
        # Numbers of this size have no fraction: the sum is rounded to even.
        code = (quotient + _ROUNDING) - _ROUNDING
    return code


@inner
def round_part(x: Any, first: int, count: int, out: Any, dest: int) -> None:
    """Round `count` elements of `x`, from index `first` on, to what 8 bits hold by their range."""
    low = high = splat(types.float32(0))
    for n in range(0, count, LANES):
        v = load_part(x, first + n, count - n)
        low, high = maximum(low, -v), maximum(high, v)
    least = largest(low)
    step = (largest(high) + least) / np.float32(255.0)
    divisor = step if step != 0 else np.float32(1.0)
    scale, code, rounding = splat(divisor), splat(_zero_point(least / divisor)), splat(_ROUNDING)
    for n in range(0, count, LANES):
        v = (load_part(x, first + n, count - n) / scale + rounding) - rounding
        v = smaller(larger(v + code, splat(types.float32(0))), splat(types.float32(255)))
        store_part((v - code) * splat(step), out, dest + n, count - n)


@entry("r", "w", "i")
def round_by_range(x: Any, out: Any, size: int, begin: int, end: int) -> None:
    """`round_part` of all `size` elements."""
    round_part(x, 0, size, out, 0)
