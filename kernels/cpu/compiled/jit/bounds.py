"""Bounds checks, which compiled functions have in checked mode only (`lite.kernels.cpu.checked`).

numba checks the indices of single elements.  The instructions that emit their own LLVM code check whole
ranges of addresses: `attach` notes the bounds of the array that an address was taken from, `follow` passes
them on to addresses that are derived from it, and `check` emits the comparison.  A number that was an address
has lost its array; `enclosing` finds the array of the call that it points into.

A range that is outside ends the function with an IndexError of numba's calling convention, after the range
was written to the call's table of arrays, which `lite.kernels.cpu.native.checked_job` describes.
"""

from __future__ import annotations

import weakref
from typing import Any

from llvmlite import ir

from lite.dataclass import dataclass
from lite.kernels.cpu.checked import IS_CHECKED
from lite.kernels.cpu.compiled.jit.numba_internals import (
    array_bounds,
    for_range,
    return_index_error,
    variable,
)
from lite.kernels.cpu.native.checked_job import ARRAY_COUNT, FAILED_ADDRESS, FAILED_BYTES, FIRST_ARRAY

_INT = ir.IntType(64)

Emitted = Any
"""A value in the emitted code; llvmlite has no type hints."""


@dataclass(frozen=True)
class Bounds:
    """The memory of an array, ``first`` up to but without ``last``, and the address of the call's table."""

    context: Any
    first: Emitted
    last: Emitted
    table: Emitted


_bounds: weakref.WeakKeyDictionary[Any, Bounds] = weakref.WeakKeyDictionary()
"""By the value of the emitted code that is an address."""

_lanes: weakref.WeakKeyDictionary[Any, Emitted] = weakref.WeakKeyDictionary()
"""The number of lanes that a mask selects, by the mask."""


def attach(context: Any, builder: Any, kind: Any, array: Emitted, address: Emitted) -> None:
    """Note that `address` was taken from an array of numba's type `kind`."""
    if IS_CHECKED:
        first, size, table = array_bounds(context, builder, kind, array)
        _bounds[address] = Bounds(context, first, builder.add(first, size), table)


def follow(derived: Emitted, address: Emitted) -> None:
    """Note that an address was derived from another one, and must stay in the same array."""
    if IS_CHECKED:
        _bounds[derived] = _bounds[address]


def note_lanes(builder: Any, mask: Emitted, lanes: Emitted) -> None:
    """Note how many lanes a mask selects: none for a negative number."""
    if IS_CHECKED:
        none = ir.Constant(_INT, 0)
        _lanes[mask] = builder.select(builder.icmp_signed(">", lanes, none), lanes, none)


def check_masked(builder: Any, address: Emitted, mask: Emitted, item_size: int = 4) -> None:
    """End the function unless the masked lanes are in the array."""
    if IS_CHECKED:
        check(builder, address, builder.mul(_lanes[mask], ir.Constant(_INT, item_size)))


def check(builder: Any, address: Emitted, size: Emitted | int) -> None:
    """End the function unless the `size` bytes from an address on are in its array; 0 bytes always are."""
    if not IS_CHECKED:
        return
    bounds = _bounds[address]
    size = ir.Constant(_INT, size) if isinstance(size, int) else size
    place = builder.ptrtoint(address, _INT)
    is_outside = builder.or_(
        builder.icmp_signed("<", place, bounds.first),
        builder.icmp_signed(">", builder.add(place, size), bounds.last),
    )
    fails = builder.and_(is_outside, builder.icmp_signed(">", size, ir.Constant(_INT, 0)))
    with builder.if_then(fails, likely=False):
        builder.store(place, _word(builder, bounds.table, FAILED_ADDRESS))
        builder.store(size, _word(builder, bounds.table, FAILED_BYTES))
        return_index_error(bounds.context, builder)


def enclosing(builder: Any, pointer: Emitted, sibling: Emitted) -> None:
    """Note that `pointer` points into the array of the call, if any, that has its element.

    `sibling` is an address in any array of the same call.
    """
    if not IS_CHECKED:
        return
    known = _bounds[sibling]
    place = builder.ptrtoint(pointer, _INT)
    nowhere = ir.Constant(_INT, 0)
    first, last = variable(builder, _INT), variable(builder, _INT)
    builder.store(nowhere, first)
    builder.store(nowhere, last)
    with for_range(builder, builder.load(_word(builder, known.table, ARRAY_COUNT))) as loop:
        entry = builder.add(builder.mul(loop.index, ir.Constant(_INT, 2)), ir.Constant(_INT, FIRST_ARRAY))
        start = builder.load(builder.gep(known.table, [entry]))
        size = builder.load(builder.gep(known.table, [builder.add(entry, ir.Constant(_INT, 1))]))
        end = builder.add(start, size)
        is_inside = builder.and_(
            builder.icmp_signed(">=", place, start), builder.icmp_signed("<", place, end)
        )
        with builder.if_then(is_inside):
            builder.store(start, first)
            builder.store(end, last)
    _bounds[pointer] = Bounds(known.context, builder.load(first), builder.load(last), known.table)


def _word(builder: Any, table: Emitted, place: int) -> Emitted:
    return builder.gep(table, [ir.Constant(_INT, place)])
