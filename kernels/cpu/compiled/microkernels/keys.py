"""Elements and their places as integers: the better element has the smaller key, of equal ones the first."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inlined, inner
from lite.kernels.cpu.lengths.sorting import DIGITS

_RUN = 8
"""Elements that are sorted by insertion before they are merged."""

PLACE = (1 << 32) - 1
"""The bits of the place in a key."""


@inlined
def key_of(value: Any, place: int, smallest: int) -> Any:
    """The key of an element; NaN comes last."""
    # -0.0 becomes 0.0.
    bits = np.int64(np.float32(value + np.float32(0.0)).view(np.int32))
    order = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    if not smallest:
        order = ~order
    if value != value:
        order = np.int64(0x7FFFFFFF)
    return order << 32 | place


@inner
def _swap(keys: Any, i: int, j: int) -> None:
    keys[i], keys[j] = keys[j], keys[i]


@inner
def keep_smallest(keys: Any, count: int, kept: int) -> None:
    """Move the smallest `kept` of `count` keys to the front, in any order, with the largest as the last."""
    first, last = 0, count - 1
    while first < last:
        # The middle one of three is the pivot, at the end.
        middle = (first + last) // 2
        if keys[middle] < keys[first]:
            _swap(keys, middle, first)
        if keys[last] < keys[first]:
            _swap(keys, last, first)
        if keys[middle] < keys[last]:
            _swap(keys, middle, last)
        pivot, place = keys[last], first
        for n in range(first, last):
            key = keys[n]
            keys[n] = keys[place]
            keys[place] = key
            place += 1 if key < pivot else 0
        _swap(keys, place, last)
        if place == kept - 1:
            return
        if place < kept - 1:
            first = place + 1
        else:
            last = place - 1


@inner
def _sort_run(keys: Any, first: int, last: int) -> None:
    for n in range(first + 1, last):
        key, place = keys[n], n
        while place > first and keys[place - 1] > key:
            keys[place] = keys[place - 1]
            place -= 1
        keys[place] = key


@inner
def _merge(keys: Any, source: int, target: int, first: int, middle: int, last: int) -> None:
    """Merge two sorted runs from `source` on into one from `target` on."""
    i, j, place = source + first, source + middle, target + first
    while i < source + middle and j < source + last:
        a, b = keys[i], keys[j]
        is_first = 1 if a < b else 0
        keys[place] = a if a < b else b
        i, j, place = i + is_first, j + 1 - is_first, place + 1
    while i < source + middle:
        keys[place] = keys[i]
        i, place = i + 1, place + 1
    while j < source + last:
        keys[place] = keys[j]
        j, place = j + 1, place + 1


@inner
def sort(keys: Any, count: int) -> int:
    """Sort the first `count` of ``2 · count`` keys; returns where the result begins."""
    for first in range(0, count, _RUN):
        _sort_run(keys, first, min(first + _RUN, count))
    source, target, width = 0, count, _RUN
    while width < count:
        for first in range(0, count, 2 * width):
            _merge(keys, source, target, first, min(first + width, count), min(first + 2 * width, count))
        source, target, width = target, source, 2 * width
    return source


@inlined
def _digit(key: int, digit: int) -> int:
    """A byte of the order of a key, whose highest bit is a sign."""
    return ((key >> 32) + (1 << 31)) >> (8 * digit) & 255


@inner
def sort_by_digits(keys: Any, count: int, counters: int) -> None:
    """Sort keys whose places ascend, with as many words after them; counters are from `counters` on.

    A radix sort by the four bytes of the order.  The sorted keys are the first `count`.
    """
    for n in range(4 * DIGITS):
        keys[counters + n] = 0
    for n in range(count):
        for digit in range(4):
            keys[counters + digit * DIGITS + _digit(keys[n], digit)] += 1
    source, target = 0, count
    for digit in range(4):
        first = counters + digit * DIGITS
        if keys[first + _digit(keys[source], digit)] == count:
            continue
        total = target
        for n in range(DIGITS):
            number = keys[first + n]
            keys[first + n] = total
            total += number
        for n in range(count):
            key = keys[source + n]
            place = first + _digit(key, digit)
            keys[keys[place]] = key
            keys[place] += 1
        source, target = target, source
    if source:
        for n in range(count):
            keys[n] = keys[source + n]
