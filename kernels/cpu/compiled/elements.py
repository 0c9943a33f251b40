"""Few elements of any type, one after the other: conditions, counters and other small integers.

Operands have a place for each element of the result, so that they may be repeated in any way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from lite.kernels.cpu.compiled.jit import bounds, emit
from lite.kernels.cpu.compiled.jit.decorators import inlined, inner, instruction
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import address
from lite.kernels.cpu.compiled.microkernels.bytes_in_memory import copy_bytes
from lite.kernels.cpu.element_types import (
    ADD,
    AND,
    AT_LEAST,
    AT_MOST,
    BYTE,
    EQUAL,
    FLOAT32,
    GREATER,
    HIGHER,
    INT8,
    INT16,
    INT32,
    INT64,
    LESS,
    LOWER,
    MULTIPLY,
    OR,
    SUBTRACT,
    UNEQUAL,
)


def _loader(element: Any, result: Any, extend: str) -> Any:
    @instruction
    def load(typing: Any, x: Any, place: Any) -> Any:
        """The element with that index, as int64 or float64."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            value = builder.load(_pointer(context, builder, sig, args, element))
            value.align = 1
            return getattr(builder, extend)(value, context.get_value_type(result)) if extend else value

        return result(x, types.int64), generate

    return load


def _storer(element: Any, source: Any, narrow: str) -> Any:
    @instruction
    def store(typing: Any, x: Any, place: Any, value: Any) -> Any:
        """Store an int64 or float64 as the element with that index."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            value = getattr(builder, narrow)(args[2], element) if narrow else args[2]
            builder.store(value, _pointer(context, builder, sig, args, element)).align = 1
            return context.get_dummy_value()

        return types.void(x, types.int64, source), generate

    return store


def _pointer(context: Any, builder: Any, sig: Any, args: Any, element: Any) -> Any:
    size = element.width // 8 if isinstance(element, ir.IntType) else 4 if element == _SINGLE else 8
    base = emit.data(context, builder, sig.args[0], args[0])
    place = emit.at(builder, base, builder.mul(args[1], emit.integer(size)))
    bounds.check(builder, place, size)
    return builder.bitcast(place, element.as_pointer())


_SINGLE, _DOUBLE = ir.FloatType(), ir.DoubleType()
_BITS = {bits: ir.IntType(bits) for bits in (8, 16, 32, 64)}

_load_byte = _loader(_BITS[8], types.int64, "zext")
_load_8, _load_16, _load_32 = (_loader(_BITS[bits], types.int64, "sext") for bits in (8, 16, 32))
_load_64 = _loader(_BITS[64], types.int64, "")
_load_single = _loader(_SINGLE, types.float64, "fpext")
_load_double = _loader(_DOUBLE, types.float64, "")
_store_8, _store_16, _store_32 = (_storer(_BITS[bits], types.int64, "trunc") for bits in (8, 16, 32))
_store_64 = _storer(_BITS[64], types.int64, "")
_store_single = _storer(_SINGLE, types.float64, "fptrunc")
_store_integer_as_single = _storer(_SINGLE, types.int64, "sitofp")
_store_double = _storer(_DOUBLE, types.float64, "")


@inner
def _integer(x: Any, place: int, kind: int) -> Any:
    """An element of an integer type."""
    if kind == BYTE:
        return _load_byte(x, place)
    if kind == INT8:
        return _load_8(x, place)
    if kind == INT16:
        return _load_16(x, place)
    return _load_32(x, place) if kind == INT32 else _load_64(x, place)


@inner
def _real(x: Any, place: int, kind: int) -> Any:
    """An element as float64; an integer beyond 2^53 is rounded."""
    if kind < FLOAT32:
        return float(_integer(x, place, kind))
    return _load_single(x, place) if kind == FLOAT32 else _load_double(x, place)


LAST = 2**63 - 1
"""The rank of NaN."""


@inlined
def rank_of(x: Any, place: int, kind: int) -> Any:
    """An element as an integer of the same order."""
    if kind < FLOAT32:
        return _integer(x, place, kind)
    value = _real(x, place, kind)
    if value != value:
        return LAST
    # -0.0 becomes 0.0.
    bits = np.float64(value + 0.0).view(np.int64)
    return bits ^ ((bits >> 63) & LAST)


@inner
def _store_integer(out: Any, place: int, kind: int, value: int) -> None:
    """Store an integer as a number of any type; integer types take its low bits."""
    if kind <= INT8:
        _store_8(out, place, value)
    elif kind == INT16:
        _store_16(out, place, value)
    elif kind == INT32:
        _store_32(out, place, value)
    elif kind == INT64:
        _store_64(out, place, value)
    elif kind == FLOAT32:
        _store_integer_as_single(out, place, value)
    else:
        _store_double(out, place, float(value))


@inner
def _store_real(out: Any, place: int, kind: int, value: float) -> None:
    """Store a real as float32 or float64."""
    if kind == FLOAT32:
        _store_single(out, place, value)
    else:
        _store_double(out, place, value)


@inner
def _truncated(value: float, kind: int) -> int:
    """A real as an integer, the lowest one where it is not in the range, as processors convert it."""
    if kind == INT64:
        return int(value) if -9223372036854775808.0 <= value < 9223372036854775808.0 else -(2**63)
    return int(value) if -2147483649.0 < value < 2147483648.0 else -(2**31)


@inner
def _condition(operation: int, a: Any, b: Any) -> int:
    """The result of a comparison, or of logic."""
    if operation == EQUAL:
        return 1 if a == b else 0
    if operation == UNEQUAL:
        return 1 if a != b else 0
    if operation == LESS:
        return 1 if a < b else 0
    if operation == AT_MOST:
        return 1 if a <= b else 0
    if operation == GREATER:
        return 1 if a > b else 0
    if operation == AT_LEAST:
        return 1 if a >= b else 0
    if operation == AND:
        return 1 if a != 0 and b != 0 else 0
    if operation == OR:
        return 1 if a != 0 or b != 0 else 0
    return 1 if (a != 0) != (b != 0) else 0


@inner
def _of_integers(operation: int, a: int, b: int) -> int:
    if operation == ADD:
        return a + b
    if operation == SUBTRACT:
        return a - b
    if operation == MULTIPLY:
        return a * b
    if operation == LOWER:
        return min(a, b)
    if operation == HIGHER:
        return max(a, b)
    return _condition(operation, a, b)


@entry("a", "a", "z", "n", "n", "i", "i", "i", "i")
def combine(
    x: Any, y: Any, out: Any, x_places: Any, y_places: Any, operation: int, x_kind: int, y_kind: int,
    out_kind: int, begin: int, end: int,
) -> None:  # fmt: skip
    """``out[n] = x[x_places[n]] ∘ y[y_places[n]]`` for n from `begin` to `end`.

    Arithmetic, that is operations before `EQUAL`, takes integers only.
    """
    is_real = x_kind >= FLOAT32 or y_kind >= FLOAT32
    for n in range(begin, end):
        if is_real:
            a, b = _real(x, x_places[n], x_kind), _real(y, y_places[n], y_kind)
            _store_integer(out, n, out_kind, _condition(operation, a, b))
        else:
            first, second = _integer(x, x_places[n], x_kind), _integer(y, y_places[n], y_kind)
            _store_integer(out, n, out_kind, _of_integers(operation, first, second))


@entry("a", "z", "i", "i")
def convert(x: Any, out: Any, x_kind: int, out_kind: int, begin: int, end: int) -> None:
    """Elements `begin` to `end` of `x` as numbers of another type; reals are truncated to integers."""
    for n in range(begin, end):
        if x_kind < FLOAT32:
            _store_integer(out, n, out_kind, _integer(x, n, x_kind))
        elif out_kind < FLOAT32:
            _store_integer(out, n, out_kind, _truncated(_real(x, n, x_kind), out_kind))
        else:
            _store_real(out, n, out_kind, _real(x, n, x_kind))


@entry("a", "z", "n", "i", "i", "i", "i")
def reduce(
    x: Any, out: Any, places: Any, terms: int, operation: int, x_kind: int, out_kind: int, begin: int,
    end: int,
) -> None:  # fmt: skip
    """``out[n]``, n from `begin` to `end`: `terms` integers of `x`, at ``places[n · terms]`` on, combined."""
    for n in range(begin, end):
        total = _integer(x, places[n * terms], x_kind)
        if operation >= EQUAL:
            total = 1 if total != 0 else 0
        for term in range(1, terms):
            total = _of_integers(operation, total, _integer(x, places[n * terms + term], x_kind))
        _store_integer(out, n, out_kind, total)


@entry("a", "z", "i", "i", "i", "i", "i")
def running_sums(
    x: Any, out: Any, axis: int, columns: int, is_exclusive: int, is_reverse: int, kind: int, begin: int,
    end: int,
) -> None:  # fmt: skip
    """``out[i, j, n]`` = the sum of ``x[i, :j + 1, n]``, where the pairs of i and n count from `begin`.

    Without x[i, j, n] where `is_exclusive`; from the end of the axis if `is_reverse`.  The axes of x have
    any, `axis` and `columns` elements; reals are float64.
    """
    step = -columns if is_reverse else columns
    for item in range(begin, end):
        place = item // columns * axis * columns + item % columns
        place += (axis - 1) * columns if is_reverse else 0
        if kind >= FLOAT32:
            real = 0.0
            for _ in range(axis):
                term = _real(x, place, kind)
                _store_real(out, place, kind, real if is_exclusive else real + term)
                real += term
                place += step
        else:
            total = 0
            for _ in range(axis):
                number = _integer(x, place, kind)
                _store_integer(out, place, kind, total if is_exclusive else total + number)
                total += number
                place += step


@entry("a", "a", "a", "z", "n", "n", "n", "i")
def choose(
    condition: Any, x: Any, y: Any, out: Any, places: Any, x_places: Any, y_places: Any, size: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """``out[n]`` is an element of `x` where the condition is not 0, else of `y`; it has `size` bytes."""
    for n in range(begin, end):
        if condition[places[n]] != 0:
            for byte in range(size):
                out[n * size + byte] = x[x_places[n] * size + byte]
        else:
            for byte in range(size):
                out[n * size + byte] = y[y_places[n] * size + byte]


@entry("a", "a", "a", "z", "m", "i", "i")
def select(
    mask: Any, first: Any, second: Any, out: Any, failures: Any, kind: int, size: int, begin: int, end: int
) -> None:
    """Copy `size` bytes of one of two tensors, by a mask of 0 or 1; another one is noted in `failures`."""
    number = _integer(mask, 0, kind)
    if number < -2 or number > 1:
        failures[1] = number
        failures[2] = 0
        failures[0] = 1
        return
    source = address(first, 0) if number == 0 or number == -2 else address(second, 0)
    copy_bytes(out, address(out, 0), source, size)


@entry("a", "a", "z", "m", "i", "i", "i", "i", "i")
def take(
    x: Any, index: Any, out: Any, failures: Any, kind: int, size: int, indices: int, lowest: int, width: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """``out[i, n] = x[i, index[n]]``, slices of `width` bytes, where the pairs of i and n count from `begin`.

    `x` has `size` slices for each i; an index below `lowest` or from `size` on is noted in `failures`.
    """
    source, target = address(x, 0), address(out, 0)
    for item in range(begin, end):
        place = _integer(index, item % indices, kind)
        if place < lowest or place >= size:
            failures[1] = place
            failures[2] = 0
            failures[0] = 1
        else:
            place += size if place < 0 else 0
            start = (item // indices * size + place) * width
            copy_bytes(out, target + item * width, source + start, width)


@entry("a", "a", "z", "m", "i", "i", "i", "i", "i")
def take_along(
    x: Any, index: Any, out: Any, failures: Any, kind: int, size: int, indices: int, inner: int, width: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """``out[i, n, j] = x[i, index[i, n, j], j]`` for elements `begin` to `end`, of `width` bytes.

    There are `indices` values of n and `inner` of j; `x` has `size` elements for each pair of i and j.
    Indices from the end are negative; others are noted in `failures`.
    """
    source, target = address(x, 0), address(out, 0)
    for item in range(begin, end):
        place = _integer(index, item, kind)
        if place < -size or place >= size:
            failures[1] = place
            failures[2] = 0
            failures[0] = 1
        else:
            place += size if place < 0 else 0
            start = (item // (indices * inner) * size + place) * inner + item % inner
            copy_bytes(out, target + item * width, source + start * width, width)
