"""Maximum and average pooling of planes and volumes whose channels come first."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inlined, inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import (
    load,
    load_every,
    load_part,
    maximum,
    splat,
    store,
)
from lite.kernels.cpu.tile_sizes import LANES


@inlined
def _both(a: Any, b: Any, is_max: int) -> Any:
    return maximum(a, b) if is_max else b + a


@inlined
def _lines(
    x: Any, start: int, planes: int, plane: int, lines: int, line: int, first: Any, is_max: int
) -> Any:
    """Combine the vectors that begin at the same element of `lines` lines of `planes` planes."""
    combined = first
    for i in range(planes):
        for j in range(lines):
            combined = _both(load(x, start + i * plane + j * line), combined, is_max)
    return combined


@inlined
def _fill_row(
    x: Any, start: int, planes: int, plane: int, lines: int, width: int, row: Any, dest: int, is_max: int
) -> None:
    """Combine `lines` neighbouring lines of `planes` planes into `row`, from `dest` on."""
    first = splat(np.float32(-np.inf)) if is_max else splat(np.float32(0.0))
    if width < LANES:
        combined = first
        for i in range(planes):
            for j in range(lines):
                v = load_part(x, start + i * plane + j * width, width)
                combined = _both(v, combined, is_max)
        # A masked store takes longer.
        store(combined, row, dest)
        for n in range(dest + width, dest + LANES):
            row[n] = -np.inf if is_max else 0.0
        return
    if width >= 2 * LANES and width < 4 * LANES:
        # The last two vectors are moved back over elements that were computed before.
        for group in range(1 if width == 2 * LANES else 2):
            n = group * (width - 2 * LANES)
            a, b = first, first
            for i in range(planes):
                for j in range(lines):
                    at = start + i * plane + j * width + n
                    a, b = _both(load(x, at), a, is_max), _both(load(x, at + LANES), b, is_max)
            store(a, row, dest + n)
            store(b, row, dest + n + LANES)
        return
    n = 0
    while n + 4 * LANES <= width:
        a, b, c, d = first, first, first, first
        for i in range(planes):
            for j in range(lines):
                at = start + i * plane + j * width + n
                a, b = _both(load(x, at), a, is_max), _both(load(x, at + LANES), b, is_max)
                c = _both(load(x, at + 2 * LANES), c, is_max)
                d = _both(load(x, at + 3 * LANES), d, is_max)
        store(a, row, dest + n)
        store(b, row, dest + n + LANES)
        store(c, row, dest + n + 2 * LANES)
        store(d, row, dest + n + 3 * LANES)
        n += 4 * LANES
    last = width - LANES
    while n < last:
        store(_lines(x, start + n, planes, plane, lines, width, first, is_max), row, dest + n)
        n += LANES
    store(_lines(x, start + last, planes, plane, lines, width, first, is_max), row, dest + last)


@inlined
def _windows(row: Any, at: int, kernel: int, stride: int, factors: Any, factor: int, is_max: int) -> Any:
    """`LANES` neighbouring windows, the first of which begins at `at`."""
    combined = splat(np.float32(-np.inf)) if is_max else splat(np.float32(0.0))
    for n in range(kernel):
        combined = _both(load_every(row, at + n, stride), combined, is_max)
    return combined if is_max else combined * load(factors, factor)


@inlined
def _pool_row(
    row: Any, before: int, kernel: int, stride: int, factors: Any, factor: int, columns: int, out: Any,
    dest: int, is_max: int,
) -> None:  # fmt: skip
    """The results of a row of windows, which are `stride` elements apart."""
    if columns < LANES:
        store(_windows(row, 0, kernel, stride, factors, factor, is_max), row, 0)
        for n in range(columns):
            out[dest + n] = row[n]
        for n in range(before):
            row[n] = -np.inf if is_max else 0.0
        return
    last = columns - LANES
    for n in range(0, last, LANES):
        store(_windows(row, n * stride, kernel, stride, factors, factor + n, is_max), out, dest + n)
    v = _windows(row, last * stride, kernel, stride, factors, factor + last, is_max)
    store(v, out, dest + last)


@inner
def _pool_line(
    x: Any, start: int, planes: int, plane: int, lines: int, width: int, row: Any, before: int, kernel: int,
    stride: int, factors: Any, factor: int, columns: int, out: Any, dest: int, is_max: int,
) -> None:  # fmt: skip
    if is_max:
        _fill_row(x, start, planes, plane, lines, width, row, before, 1)
        if stride == 1:
            _pool_row(row, before, kernel, 1, factors, factor, columns, out, dest, 1)
        elif stride == 2:
            _pool_row(row, before, kernel, 2, factors, factor, columns, out, dest, 1)
        else:
            _pool_row(row, before, kernel, stride, factors, factor, columns, out, dest, 1)
        return
    _fill_row(x, start, planes, plane, lines, width, row, before, 0)
    if stride == 1:
        _pool_row(row, before, kernel, 1, factors, factor, columns, out, dest, 0)
    elif stride == 2:
        _pool_row(row, before, kernel, 2, factors, factor, columns, out, dest, 0)
    else:
        _pool_row(row, before, kernel, stride, factors, factor, columns, out, dest, 0)


@entry("r", "w", "n", "n", "n", "n", "n", "r", "s", "i", "f", "n")
def pool_lines(
    x: Any, out: Any, fronts: Any, backs: Any, tops: Any, bottoms: Any, empty: Any, factors: Any, row: Any,
    is_max: int, lowest: float, sizes: Any, begin: int, end: int,
) -> None:  # fmt: skip
    """Output rows `begin` to `end`, counted over volumes.

    Window z, y, x spans the planes ``fronts[z]`` to ``backs[z]``, the lines ``tops[y]`` to ``bottoms[y]``,
    and as many elements as the kernel from the x-th multiple of the stride on, less those before the line.
    Its sum is multiplied by ``factors[(z · rows + y) · columns + x]``, which `LANES` numbers follow; the
    maximum of an empty window is `lowest`.  `sizes` are the volume's and the output's depth, height and
    width, the elements before a line, the kernel, the stride, and the number of columns in `empty`, whose
    windows have no element.  `row` is scratch memory for a row with all elements that its windows span.
    """
    depth, height, width = sizes[0], sizes[1], sizes[2]
    rows, columns = sizes[4], sizes[5]
    before, kernel, stride, empties = sizes[6], sizes[7], sizes[8], sizes[9]
    first = splat(np.float32(-np.inf)) if is_max else splat(np.float32(0.0))
    for n in range(0, max(before + width, (max(columns, LANES) - 1) * stride + kernel), LANES):
        store(first, row, n)
    y, z, volume = begin % rows - 1, begin // rows % sizes[3], begin // rows // sizes[3]
    for line in range(begin, end):
        # Counted instead of divided, which takes as long as a short line.
        y += 1
        if y == rows:
            y = 0
            z += 1
            if z == sizes[3]:
                z = 0
                volume += 1
        planes, lines = max(backs[z] - fronts[z], 0), max(bottoms[y] - tops[y], 0)
        dest = line * columns
        if is_max and planes * lines == 0:
            for column in range(columns):
                out[dest + column] = lowest
            continue
        start = ((volume * depth + fronts[z]) * height + tops[y]) * width
        _pool_line(
            x, start, planes, height * width, lines, width, row, before, kernel, stride, factors,
            (z * rows + y) * columns, columns, out, dest, is_max,
        )  # fmt: skip
        if is_max:
            for n in range(empties):
                out[dest + empty[n]] = lowest
