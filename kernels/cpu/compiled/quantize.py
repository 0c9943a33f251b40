"""float32 to bytes and back, with one scale and zero point."""

from __future__ import annotations

from typing import Any

from numba import types

from lite.kernels.cpu.compiled.jit import emit
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.compiled.jit.emit import Emitted, at
from lite.kernels.cpu.compiled.jit.emit_bytes import quantized
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import largest, load, maximum, splat
from lite.kernels.cpu.tile_sizes import BLOCK, LANES


@instruction
def _quantize_vector(typing: Any, x: Any, out: Any, place: Any, count: Any, scale: Any, zero: Any) -> Any:
    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        source, target, mask, factor, summand = _operands(context, builder, sig, args)
        quotient = builder.fdiv(emit.load_masked(builder, source, mask), factor)
        emit.store_bytes_part(builder, quantized(builder, quotient, summand), target, mask)
        return context.get_dummy_value()

    return types.void(x, out, types.int64, types.int64, types.float32, types.float32), generate


@instruction
def _quantize_whole(typing: Any, x: Any, out: Any, place: Any, scale: Any, zero: Any) -> Any:
    """`_quantize_vector` for a whole vector."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        source, target = (
            at(builder, emit.data(context, builder, sig.args[n], args[n]), args[2]) for n in range(2)
        )
        quotient = builder.fdiv(emit.load(builder, source), emit.splat(builder, args[3]))
        codes = quantized(builder, quotient, emit.splat(builder, args[4]))
        emit.store_bytes(builder, codes, target)
        return context.get_dummy_value()

    return types.void(x, out, types.int64, types.float32, types.float32), generate


@instruction
def _dequantize_vector(typing: Any, x: Any, out: Any, place: Any, count: Any, scale: Any, zero: Any) -> Any:
    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        source, target, mask, factor, summand = _operands(context, builder, sig, args)
        numbers = builder.fsub(emit.load_numbers_part(builder, source, mask), summand)
        emit.store_part(builder, builder.fmul(numbers, factor), target, mask)
        return context.get_dummy_value()

    return types.void(x, out, types.int64, types.int64, types.float32, types.float32), generate


def _operands(context: Any, builder: Any, sig: Any, args: Any) -> tuple[Emitted, ...]:
    """The addresses of the vectors, the mask of their lanes, and the vectors of scale and zero point."""
    source, target = (
        at(builder, emit.data(context, builder, sig.args[n], args[n]), args[2]) for n in range(2)
    )
    scale, zero = (emit.splat(builder, number) for number in args[4:])
    return source, target, emit.first_lanes(builder, args[3]), scale, zero


@entry("r", "c", "f", "f")
def quantize(x: Any, out: Any, scale: float, zero: float, begin: int, end: int) -> None:
    """Elements `begin` to `end`: ``round(x / scale) + zero``, halves to even, saturated to 0 to 255."""
    whole = begin + (end - begin) // LANES * LANES
    for place in range(begin, whole, LANES):
        _quantize_whole(x, out, place, scale, zero)
    if whole < end:
        _quantize_vector(x, out, whole, end - whole, scale, zero)


@entry("b", "w", "f", "f")
def dequantize(x: Any, out: Any, scale: float, zero: float, begin: int, end: int) -> None:
    """Elements `begin` to `end`: ``(x - zero) · scale``."""
    for place in range(begin, end, LANES):
        _dequantize_vector(x, out, place, end - place, scale, zero)


@entry("r", "c", "r")
def quantize_by(x: Any, out: Any, numbers: Any, begin: int, end: int) -> None:
    """`quantize` with the scale and the zero point in `numbers`, ``float32[2]``."""
    for place in range(begin, end, LANES):
        _quantize_vector(x, out, place, end - place, numbers[0], numbers[1])


@entry("r", "w", "i")
def extremes(x: Any, out: Any, size: int, begin: int, end: int) -> None:
    """``out[n] = (max(-v), max(v))`` of 0 and the elements v of the blocks `begin` to `end`.

    A block has `BLOCK` elements, and the last one what is left of `size`.
    """
    zero = splat(types.float32(0))
    for block in range(begin, end):
        first, last = block * BLOCK, min((block + 1) * BLOCK, size)
        low, high = zero, zero
        for place in range(first, last - LANES + 1, LANES):
            v = load(x, place)
            low, high = maximum(low, zero - v), maximum(high, v)
        least, greatest = largest(low), largest(high)
        for place in range(first + (last - first) // LANES * LANES, last):
            least, greatest = max(least, -x[place]), max(greatest, x[place])
        out[2 * block], out[2 * block + 1] = least, greatest
