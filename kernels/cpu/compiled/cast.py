"""Loops that convert the elements of a tensor to another type, in vectors of `LANES`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types

from lite.kernels.cpu.compiled.jit import emit
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.compiled.jit.emit import Emitted
from lite.kernels.cpu.compiled.jit.entry import Entry, entry
from lite.kernels.cpu.compiled.microkernels.neighbours import convert_neighbours
from lite.kernels.cpu.tile_sizes import LANES

_BYTE, _HALF, _SINGLE, _INT32 = emit.BYTE, ir.HalfType(), emit.FLOAT, ir.IntType(32)

Conversion = Callable[[Any, Emitted, Any], Emitted]
"""From the builder, a value and the type of the result to the value of that type."""


def _extended(builder: Any, value: Emitted, goal: Any) -> Emitted:
    return builder.fpext(value, goal)


def _rounded(builder: Any, value: Emitted, goal: Any) -> Emitted:
    """The nearest number, halves to even; infinity where it is too large."""
    return builder.fptrunc(value, goal)


def _of_signed(builder: Any, value: Emitted, goal: Any) -> Emitted:
    return builder.sitofp(value, goal)


def _of_unsigned(builder: Any, value: Emitted, goal: Any) -> Emitted:
    return builder.uitofp(value, goal)


def _is_not_zero(builder: Any, value: Emitted, goal: Any) -> Emitted:
    """1 or 0; 1 for NaN."""
    return builder.zext(builder.fcmp_unordered("!=", value, ir.Constant(value.type, None)), goal)


def _step_of(source: Any, goal: Any, convert: Conversion, lanes: int) -> Any:
    @instruction
    def step(typing: Any, x: Any, out: Any, place: Any) -> Any:
        """Convert `lanes` elements from index `place` on."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            def converted(value: Emitted, kind: Any) -> Emitted:
                return convert(builder, value, kind)

            return convert_neighbours(context, builder, sig, args, (source, goal), lanes, converted)

        return types.void(x, out, types.int64), generate

    return step


def _loop_of(source: Any, goal: Any, convert: Conversion) -> Entry:
    """The loop over elements `begin` to `end`."""
    several, one = (_step_of(source, goal, convert, lanes) for lanes in (LANES, 1))

    @entry("a", "z")
    def loop(x: Any, out: Any, begin: int, end: int) -> None:
        whole = begin + (end - begin) // LANES * LANES
        for place in range(begin, whole, LANES):
            several(x, out, place)
        for place in range(whole, end):
            one(x, out, place)

    return loop  # type: ignore[return-value]


byte_to_single = _loop_of(_BYTE, _SINGLE, _of_unsigned)
half_to_single = _loop_of(_HALF, _SINGLE, _extended)
int32_to_single = _loop_of(_INT32, _SINGLE, _of_signed)
single_to_bool = _loop_of(_SINGLE, _BYTE, _is_not_zero)
single_to_half = _loop_of(_SINGLE, _HALF, _rounded)
