"""Elements and slices of a tensor by index.

An index that is outside its axis is noted in ``failures``: a 1, the index, and its axis.  Negative indices
count from the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import load, splat, store, store_part
from lite.kernels.cpu.compiled.microkernels.copy_row import copy_row
from lite.kernels.cpu.tile_sizes import LANES

ADD, MULTIPLY = 1, 2
"""Ways to combine an element with its update; any other number replaces it."""


@inner
def _note(failures: Any, index: int, axis: int) -> None:
    failures[1] = index
    failures[2] = axis
    failures[0] = 1


@inner
def _take_row(x: Any, start: int, index: Any, first: int, out: Any, dest: int, count: int, size: int) -> int:
    """``out[dest + n] = x[start + index[first + n]]`` for n from 0 to `count` - 1.

    Returns the number of indices outside the axis of `size` elements.
    """
    failures = 0
    for n in range(count):
        place = index[np.uint64(first + n)]
        place += size if place < 0 else 0
        is_inside = np.uint64(place) < np.uint64(size)
        failures += 0 if is_inside else 1
        out[np.uint64(dest + n)] = x[np.uint64(start + (place if is_inside else 0))]
    return failures


@inner
def _take_elements(
    x: Any, start: int, index: Any, first: int, out: Any, count: int, size: int, width: int
) -> int:
    """``out[first + n] = x[start + index[first + n] · width + n]`` for n from 0 to `count` - 1.

    Returns the number of indices outside the axis of `size` elements.
    """
    failures = 0
    for n in range(count):
        place = index[np.uint64(first + n)]
        place += size if place < 0 else 0
        is_inside = np.uint64(place) < np.uint64(size)
        failures += 0 if is_inside else 1
        out[np.uint64(first + n)] = x[np.uint64(start + (place * width if is_inside else 0) + n)]
    return failures


@inner
def _note_first(index: Any, first: int, count: int, size: int, failures: Any) -> None:
    """Note the first of `count` indices that is outside an axis of `size` elements."""
    for n in range(first, first + count):
        if index[n] < -size or index[n] >= size:
            _note(failures, index[n], 0)
            return


@entry("r", "n", "w", "m", "i", "i", "i")
def take_elements(
    x: Any, index: Any, out: Any, failures: Any, size: int, indices: int, width: int, begin: int, end: int
) -> None:
    """``out[i, n, j] = x[i, index[i, n, j], j]`` for `indices` values of n.

    `x` is ``[…, size, width]``, `index` and `out` are ``[…, indices, width]``.  Work items `begin` to `end`
    are pairs of i and n.
    """
    item = begin
    while item < end:
        i = item // indices
        if width == 1:
            count = min(indices - item % indices, end - item)
            if _take_row(x, i * size, index, item, out, item, count, size):
                _note_first(index, item, count, size, failures)
            item += count
        else:
            if _take_elements(x, i * size * width, index, item * width, out, width, size, width):
                _note_first(index, item * width, width, size, failures)
            item += 1


@entry("r", "n", "w", "m", "i", "i", "i", "i", "i")
def take_slices(
    x: Any, index: Any, out: Any, failures: Any, size: int, indices: int, width: int, lowest: int,
    padding: int, begin: int, end: int,
) -> None:  # fmt: skip
    """``out[i, n, :] = x[i, index[n], :]`` for `indices` values of n; zeros for the index `padding`.

    `x` is ``[…, size, width]``, and indices are at least `lowest`.  Work items are pairs of i and n.
    """
    item = begin
    while item < end:
        i, first = item // indices, item % indices
        count = min(indices - first, end - item)
        if width == 1 and lowest < 0 and padding < lowest:
            if _take_row(x, i * size, index, first, out, item, count, size):
                _note_first(index, first, count, size, failures)
            item += count
            continue
        for n in range(first, first + count):
            place = index[n]
            if place < lowest or place >= size:
                _note(failures, place, 0)
            elif place == padding:
                for j in range(0, width, LANES):
                    store_part(splat(0.0), out, item * width + j, width - j)
            else:
                place += size if place < 0 else 0
                copy_row(x, (i * size + place) * width, out, item * width, width)
            item += 1


@inner
def _slice_at(index: Any, first: int, sizes: Any, depth: int, failures: Any) -> int:
    """The number of the slice at `depth` coordinates from `first` on; -1 where one is outside."""
    found = 0
    for axis in range(depth):
        place, size = index[first + axis], sizes[axis]
        if place < -size or place >= size:
            _note(failures, place, axis)
            return -1
        found = found * size + place + (size if place < 0 else 0)
    return found


@entry("r", "n", "w", "m", "n", "i", "i", "i", "i")
def take_nd(
    x: Any, index: Any, out: Any, failures: Any, sizes: Any, depth: int, slices: int, indices: int,
    width: int, begin: int, end: int,
) -> None:  # fmt: skip
    """``out[i, n, :] = x[i, *index[i, n], :]`` for `indices` values of n.

    `x` is ``[…, *sizes, width]`` with `depth` sizes, whose product is `slices`.  Work items are pairs of i
    and n.
    """
    for item in range(begin, end):
        place = _slice_at(index, item * depth, sizes, depth, failures)
        if place < 0:
            continue
        source = (item // indices * slices + place) * width
        if width == 1:
            out[item] = x[source]
        else:
            copy_row(x, source, out, item * width, width)


@inner
def _combine(updates: Any, source: int, out: Any, dest: int, count: int, how: int) -> None:
    if how != ADD and how != MULTIPLY:
        copy_row(updates, source, out, dest, count)
        return
    whole = count // LANES * LANES
    for n in range(0, whole, LANES):
        old, update = load(out, dest + n), load(updates, source + n)
        store(old + update if how == ADD else old * update, out, dest + n)
    for n in range(whole, count):
        if how == ADD:
            out[dest + n] += updates[source + n]
        else:
            out[dest + n] *= updates[source + n]


@entry("r", "n", "r", "w", "m", "n", "i", "i", "i", "i", "i")
def put_nd(
    x: Any, index: Any, updates: Any, out: Any, failures: Any, sizes: Any, depth: int, slices: int,
    indices: int, width: int, how: int, begin: int, end: int,
) -> None:  # fmt: skip
    """``out = x``, then ``out[*index[n], :] = updates[n, :]`` for n in order, by the way `how`.

    `x` is ``[*sizes, width]`` with `depth` sizes, whose product is `slices`; `out` may be `x`.  Work items
    are columns, of `width`.
    """
    count = end - begin
    if count == width:
        copy_row(x, 0, out, 0, slices * width)
    else:
        for place in range(slices):
            copy_row(x, place * width + begin, out, place * width + begin, count)
    for n in range(indices):
        place = _slice_at(index, n * depth, sizes, depth, failures)
        if place >= 0:
            _combine(updates, n * width + begin, out, place * width + begin, count, how)


@entry("r", "n", "r", "w", "m", "i", "i", "i", "i", "i")
def put_elements(
    x: Any, index: Any, updates: Any, out: Any, failures: Any, size: int, indices: int, width: int,
    outer: int, how: int, begin: int, end: int,
) -> None:  # fmt: skip
    """``out = x``, then ``out[i, index[i, n, j], j] = updates[i, n, j]`` for n in order, by the way `how`.

    `x` is ``[…, size, width]``, `index` and `updates` are ``[outer, indices, width]``; `out` may be `x`.
    Work items are values of i, of which `x` may have more than `outer`.
    """
    copy_row(x, begin * size * width, out, begin * size * width, (end - begin) * size * width)
    for i in range(begin, min(end, outer)):
        for n in range(indices):
            first = (i * indices + n) * width
            for j in range(width):
                place = index[first + j]
                if place < -size or place >= size:
                    _note(failures, place, 0)
                    continue
                place += size if place < 0 else 0
                dest = (i * size + place) * width + j
                value = updates[first + j]
                if how == ADD:
                    value = out[dest] + value
                elif how == MULTIPLY:
                    value = out[dest] * value
                out[dest] = value
