"""float32 to integers of 16 bits and back, in vectors of `LANES`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types

from lite.kernels.cpu.compiled.jit import emit
from lite.kernels.cpu.compiled.jit.decorators import inlined, instruction
from lite.kernels.cpu.compiled.jit.emit import Emitted
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.microkernels.neighbours import convert_neighbours
from lite.kernels.cpu.tile_sizes import LANES

_WORD = ir.IntType(16)

_ROUNDING = float(3 << 22)
"""A number below ``1 << 21`` keeps no fraction when this is added: halves are rounded to even."""

Conversion = Callable[[Any, Emitted, Any, tuple[Emitted, ...]], Emitted]
"""From the builder, a value, the type of the result, and further numbers to the value of that type."""


def _dequantized(is_signed: bool) -> Conversion:
    def convert(builder: Any, value: Emitted, goal: Any, numbers: tuple[Emitted, ...]) -> Emitted:
        scale, zero, _ = numbers
        real = builder.sitofp(value, goal) if is_signed else builder.uitofp(value, goal)
        return builder.fmul(builder.fsub(real, zero), scale)

    return convert


def _quantized(builder: Any, value: Emitted, goal: Any, numbers: tuple[Emitted, ...]) -> Emitted:
    scale, zero, lowest = numbers
    kind = value.type
    most, rounding = (_constant(kind, number) for number in (65535.0, _ROUNDING))
    quotient = builder.fdiv(value, scale)
    is_number = builder.fcmp_ordered("ord", quotient, quotient)
    quotient = builder.select(is_number, quotient, builder.fneg(zero))
    least = builder.fsub(lowest, zero)
    greatest = builder.fadd(least, most)
    quotient = builder.select(builder.fcmp_ordered("<", quotient, least), least, quotient)
    quotient = builder.select(builder.fcmp_ordered(">", quotient, greatest), greatest, quotient)
    whole = builder.fsub(builder.fadd(quotient, rounding), rounding)
    ints = ir.VectorType(ir.IntType(32), LANES) if isinstance(kind, ir.VectorType) else ir.IntType(32)
    return builder.trunc(builder.fptosi(builder.fadd(whole, zero), ints), goal)


def _constant(kind: Any, number: float) -> Emitted:
    return ir.Constant(kind, [number] * LANES if isinstance(kind, ir.VectorType) else number)


def _step_of(source: Any, goal: Any, convert: Conversion, lanes: int) -> Any:
    @instruction
    def step(typing: Any, x: Any, out: Any, place: Any, scale: Any, zero: Any, lowest: Any) -> Any:
        """Convert `lanes` elements from index `place` on."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            numbers = tuple(emit.splat(builder, each) if lanes > 1 else each for each in args[3:])

            def converted(value: Emitted, kind: Any) -> Emitted:
                return convert(builder, value, kind, numbers)

            return convert_neighbours(context, builder, sig, args, (source, goal), lanes, converted)

        return types.void(x, out, types.int64, *[types.float32] * 3), generate

    return step


def _loop_of(source: Any, goal: Any, convert: Conversion) -> Any:
    several, one = (_step_of(source, goal, convert, lanes) for lanes in (LANES, 1))

    @inlined
    def loop(x: Any, out: Any, scale: float, zero: float, lowest: float, begin: int, end: int) -> None:
        whole = begin + (end - begin) // LANES * LANES
        for place in range(begin, whole, LANES):
            several(x, out, place, scale, zero, lowest)
        for place in range(whole, end):
            one(x, out, place, scale, zero, lowest)

    return loop


_quantize = _loop_of(emit.FLOAT, _WORD, _quantized)
_dequantize, _dequantize_signed = (_loop_of(_WORD, emit.FLOAT, _dequantized(each)) for each in (False, True))


@entry("a", "z", "f", "f", "f")
def quantize(x: Any, out: Any, scale: float, zero: float, lowest: float, begin: int, end: int) -> None:
    """Elements `begin` to `end`: ``round(x / scale) + zero``, halves to even, saturated.

    Integers are `lowest` to ``lowest + 65535``.  NaN becomes 0.
    """
    _quantize(x, out, scale, zero, lowest, begin, end)


@entry("a", "z", "f", "f", "f")
def dequantize(x: Any, out: Any, scale: float, zero: float, lowest: float, begin: int, end: int) -> None:
    """Elements `begin` to `end`: ``(x - zero) · scale`` of integers, signed unless `lowest` is 0."""
    if lowest != 0:
        _dequantize_signed(x, out, scale, zero, lowest, begin, end)
    else:
        _dequantize(x, out, scale, zero, lowest, begin, end)
