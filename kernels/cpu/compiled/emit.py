"""Vector instructions, emitted while a function is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils

from lite.kernels.cpu.tile_sizes import LANES

FLOAT = ir.FloatType()
INT = ir.IntType(64)
_SHORT = ir.IntType(32)
VECTOR = ir.VectorType(FLOAT, LANES)
_MASK = ir.VectorType(ir.IntType(1), LANES)
_INTS = ir.VectorType(_SHORT, LANES)
_LANE_NUMBERS = ir.Constant(_INTS, list(range(LANES)))

Emitted = Any
"""A value in the code that is being made: llvmlite has no types."""


def integer(number: int) -> Emitted:
    """A constant index."""
    return ir.Constant(INT, number)


def constant(number: float) -> Emitted:
    """A vector of one number."""
    return ir.Constant(VECTOR, [number] * LANES)


def data(context: Any, builder: Any, kind: Any, array: Emitted) -> Emitted:
    """The address of an array's first element."""
    return cgutils.create_struct_proxy(kind)(context, builder, array).data


def at(builder: Any, base: Emitted, offset: Emitted | int) -> Emitted:
    """The address `offset` elements behind `base`."""
    return builder.gep(base, [integer(offset) if isinstance(offset, int) else offset])


def splat(builder: Any, scalar: Emitted) -> Emitted:
    """A vector of one number known at run time."""
    first = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), scalar, ir.Constant(_SHORT, 0))
    return builder.shuffle_vector(first, ir.Constant(VECTOR, ir.Undefined), ir.Constant(_INTS, [0] * LANES))


def load(builder: Any, address: Emitted) -> Emitted:
    """A vector from any address."""
    loaded = builder.load(builder.bitcast(address, VECTOR.as_pointer()))
    loaded.align = 4
    return loaded


def store(builder: Any, vector: Emitted, address: Emitted) -> None:
    """A vector to any address."""
    builder.store(vector, builder.bitcast(address, VECTOR.as_pointer())).align = 4


def first_lanes(builder: Any, count: Emitted) -> Emitted:
    """The mask of the first `count` lanes (none where it is below 1, all from `LANES` on)."""
    least = builder.select(builder.icmp_signed("<", count, integer(LANES)), count, integer(LANES))
    short = builder.trunc(least, _SHORT)
    undefined = ir.Constant(_INTS, ir.Undefined)
    single = builder.insert_element(undefined, short, ir.Constant(_SHORT, 0))
    counts = builder.shuffle_vector(single, undefined, ir.Constant(_INTS, [0] * LANES))
    return builder.icmp_signed("<", _LANE_NUMBERS, counts)


def load_masked(builder: Any, address: Emitted, mask: Emitted) -> Emitted:
    """The masked lanes from any address, 0 elsewhere; nothing else is read."""
    pointer = builder.bitcast(address, VECTOR.as_pointer())
    kind = ir.FunctionType(VECTOR, [pointer.type, _SHORT, _MASK, VECTOR])
    function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.masked.load.v{LANES}f32.p0")
    return builder.call(function, [pointer, ir.Constant(_SHORT, 4), mask, constant(0.0)])


def store_masked(builder: Any, vector: Emitted, address: Emitted, mask: Emitted) -> None:
    """The masked lanes to any address; nothing else is written."""
    pointer = builder.bitcast(address, VECTOR.as_pointer())
    kind = ir.FunctionType(ir.VoidType(), [VECTOR, pointer.type, _SHORT, _MASK])
    function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.masked.store.v{LANES}f32.p0")
    builder.call(function, [vector, pointer, ir.Constant(_SHORT, 4), mask])


def fma(builder: Any, a: Emitted, b: Emitted, c: Emitted) -> Emitted:
    """``a · b + c``, rounded once."""
    kind = ir.FunctionType(VECTOR, [VECTOR] * 3)
    return builder.call(
        cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{LANES}f32"), [a, b, c]
    )


def larger(builder: Any, a: Emitted, bound: Emitted) -> Emitted:
    """max(a, bound); NaN where `a` is."""
    return builder.select(builder.fcmp_ordered("<", a, bound), bound, a)


def maximum(builder: Any, a: Emitted, b: Emitted) -> Emitted:
    """The larger of two; NaN where one of them is."""
    return builder.select(builder.fcmp_unordered("uno", b, b), b, larger(builder, a, b))


def smaller(builder: Any, a: Emitted, bound: Emitted) -> Emitted:
    """min(a, bound); NaN where `a` is."""
    return builder.select(builder.fcmp_ordered(">", a, bound), bound, a)


def fold(builder: Any, vector: Emitted, combine: Callable[[Emitted, Emitted], Emitted]) -> Emitted:
    """All lanes combined into one number, in the order of a tree."""
    lanes = [builder.extract_element(vector, ir.Constant(_SHORT, n)) for n in range(LANES)]
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [combine(lanes[n], lanes[n + half]) for n in range(half)]
    return lanes[0]


def turned(builder: Any, rows: list[Emitted]) -> list[Emitted]:
    """The columns of `LANES` vectors: halves are exchanged at half the distance in each step."""
    distance = LANES // 2
    while distance:
        for n in range(LANES):
            if not n & distance:
                a, b = rows[n], rows[n + distance]
                first = [m if not m & distance else LANES + m - distance for m in range(LANES)]
                second = [m + distance if not m & distance else LANES + m for m in range(LANES)]
                rows[n] = builder.shuffle_vector(a, b, ir.Constant(_INTS, first))
                rows[n + distance] = builder.shuffle_vector(a, b, ir.Constant(_INTS, second))
        distance //= 2
    return rows


def exp(builder: Any, x: Emitted) -> Emitted:
    """e^x = 2^n · e^r with n = round(x / ln 2) and r in ±ln 2 / 2, where a polynomial is close enough.

    The coefficients are the Cephes library's.
    """
    low, high = -87.33654, 88.72283
    bounded = smaller(builder, larger(builder, x, constant(low)), constant(high))
    kind = ir.FunctionType(VECTOR, [VECTOR])
    rounding = cgutils.get_or_insert_function(builder.module, kind, f"llvm.rint.v{LANES}f32")
    power = builder.call(rounding, [builder.fmul(bounded, constant(1.4426950408889634))])
    # ln 2 in two parts, so that the difference is exact.
    rest = fma(builder, power, constant(-0.693359375), bounded)
    rest = fma(builder, power, constant(2.12194440e-4), rest)
    series = constant(1.9875691500e-4)
    for coefficient in (1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1):
        series = fma(builder, series, rest, constant(coefficient))
    fraction = fma(builder, series, builder.fmul(rest, rest), builder.fadd(rest, constant(1.0)))
    # In two steps: 2^n itself is infinite for the largest n.
    whole = builder.fptosi(power, _INTS)
    half = builder.ashr(whole, ir.Constant(_INTS, [1] * LANES))
    scaled = builder.fmul(
        builder.fmul(fraction, _power_of_two(builder, half)), _power_of_two(builder, builder.sub(whole, half))
    )
    scaled = builder.select(builder.fcmp_ordered("<", x, constant(low)), constant(0.0), scaled)
    scaled = builder.select(builder.fcmp_ordered(">", x, constant(high)), constant(float("inf")), scaled)
    return builder.select(builder.fcmp_unordered("uno", x, x), x, scaled)


def _power_of_two(builder: Any, whole: Emitted) -> Emitted:
    exponent = builder.add(whole, ir.Constant(_INTS, [127] * LANES))
    return builder.bitcast(builder.shl(exponent, ir.Constant(_INTS, [23] * LANES)), VECTOR)
