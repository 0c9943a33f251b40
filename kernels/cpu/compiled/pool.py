"""Maximum and average pooling: of images in NHWC, and of planes and volumes whose channels come first."""

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
    store_part,
)
from lite.kernels.cpu.compiled.microkernels.combine import load_rest
from lite.kernels.cpu.tile_sizes import LANES


@inner
def combine_row(x: Any, start: int, row: Any, width: int, is_max: int) -> None:
    """Combine the elements of `row` with those of `x` from `start` on."""
    whole = width // LANES * LANES
    rest = width - whole
    if is_max:
        for n in range(0, whole, LANES):
            store(maximum(load(row, n), load(x, start + n)), row, n)
        if rest:
            v = maximum(load_part(row, whole, rest), load_part(x, start + whole, rest))
            store_part(v, row, whole, rest)
    else:
        for n in range(0, whole, LANES):
            store(load(row, n) + load(x, start + n), row, n)
        if rest:
            store_part(load_part(row, whole, rest) + load_part(x, start + whole, rest), row, whole, rest)


@inner
def _whole(
    x: Any, place: int, rows: int, row_step: int, columns: int, step: int, first: Any, is_max: int
) -> Any:
    """Combine a vector of channels over a window of `rows` and `columns` from index `place` on."""
    combined = first
    for i in range(rows):
        for j in range(columns):
            v = load(x, place + i * row_step + j * step)
            combined = maximum(combined, v) if is_max else combined + v
    return combined


@inner
def _part(
    x: Any, place: int, rows: int, row_step: int, columns: int, step: int, first: Any, is_max: int, count: int
) -> Any:
    """Like `_whole`, of `count` channels."""
    combined = first
    for i in range(rows):
        for j in range(columns):
            v = load_part(x, place + i * row_step + j * step, count)
            combined = maximum(combined, v) if is_max else combined + v
    return combined


@entry("r", "w", "n", "n", "n", "n", "r", "i", "f", "n")
def pool(
    x: Any, out: Any, tops: Any, bottoms: Any, lefts: Any, rights: Any, factors: Any, is_max: int,
    lowest: float, sizes: Any, begin: int, end: int,
) -> None:  # fmt: skip
    """Output rows `begin` to `end`, counted over the batch.

    Window y, x spans rows ``tops[y]`` to ``bottoms[y]`` and columns ``lefts[x]`` to ``rights[x]``.  Its sum
    is multiplied by ``factors[y · columns + x]``; the maximum of an empty window is `lowest`.  `sizes` are
    the image's height, width and channels, and the output's rows and columns.
    """
    height, width, channels, rows, columns = sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]
    for line in range(begin, end):
        n, y = divmod(line, rows)
        for column in range(columns):
            dest = (line * columns + column) * channels
            factor = splat(factors[y * columns + column])
            is_empty = tops[y] >= bottoms[y] or lefts[column] >= rights[column]
            first = lowest if is_empty else np.float32(-np.inf)
            start = splat(first) if is_max else splat(0.0)
            place = ((n * height + tops[y]) * width + lefts[column]) * channels
            down, across = max(bottoms[y] - tops[y], 0), max(rights[column] - lefts[column], 0)
            whole = channels // LANES * LANES
            for channel in range(0, whole, LANES):
                v = _whole(x, place + channel, down, width * channels, across, channels, start, is_max)
                store(v if is_max else v * factor, out, dest + channel)
            if whole < channels:
                count = channels - whole
                v = _part(x, place + whole, down, width * channels, across, channels, start, is_max, count)
                store_part(v if is_max else v * factor, out, dest + whole, count)


@entry("r", "w", "n", "n", "n", "n", "r", "s", "i", "f", "n")
def pool_by_axes(
    x: Any, out: Any, tops: Any, bottoms: Any, lefts: Any, rights: Any, factors: Any, row: Any, is_max: int,
    lowest: float, sizes: Any, begin: int, end: int,
) -> None:  # fmt: skip
    """Like `pool`, by windows along columns, then along rows; `row` is scratch memory for a row of the image.

    Large windows with small strides share most of the work along columns.
    """
    height, width, channels, rows, columns = sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]
    elements, whole = width * channels, channels // LANES * LANES
    for line in range(begin, end):
        n, y = divmod(line, rows)
        first = splat(np.float32(-np.inf)) if is_max else splat(np.float32(0.0))
        for place in range(0, elements, LANES):
            store_part(first, row, place, elements - place)
        for i in range(tops[y], bottoms[y]):
            combine_row(x, (n * height + i) * elements, row, elements, is_max)
        for column in range(columns):
            dest = (line * columns + column) * channels
            factor = splat(factors[y * columns + column])
            is_empty = tops[y] >= bottoms[y] or lefts[column] >= rights[column]
            start = splat(lowest) if is_max and is_empty else first
            place, across = lefts[column] * channels, max(rights[column] - lefts[column], 0)
            for channel in range(0, whole, LANES):
                v = _whole(row, place + channel, 1, 0, across, channels, start, is_max)
                store(v if is_max else v * factor, out, dest + channel)
            if whole < channels:
                count = channels - whole
                v = _part(row, place + whole, 1, 0, across, channels, start, is_max, count)
                store_part(v if is_max else v * factor, out, dest + whole, count)


@inlined
def _both(a: Any, b: Any, is_max: int) -> Any:
    # `b` has the windows so far: only the test of `a` for NaN need not wait for it.
    return maximum(b, a) if is_max else b + a


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
    x: Any, start: int, planes: int, plane: int, lines: int, line: int, width: int, row: Any, dest: int,
    is_max: int,
) -> None:  # fmt: skip
    """Combine `lines` lines, `line` elements apart, of `planes` planes into `row`, from `dest` on."""
    first = splat(np.float32(-np.inf)) if is_max else splat(np.float32(0.0))
    if width < LANES:
        combined, beyond = first, np.float32(-np.inf if is_max else 0.0)
        for i in range(planes):
            for j in range(lines):
                v = load_rest(x, start + i * plane + j * line, width, beyond)
                combined = _both(v, combined, is_max)
        store(combined, row, dest)
        return
    if width >= 2 * LANES and width < 4 * LANES:
        # The last two vectors are moved back over elements that were computed before.
        for group in range(1 if width == 2 * LANES else 2):
            n = group * (width - 2 * LANES)
            a, b = first, first
            for i in range(planes):
                for j in range(lines):
                    at = start + i * plane + j * line + n
                    a, b = _both(load(x, at), a, is_max), _both(load(x, at + LANES), b, is_max)
            store(a, row, dest + n)
            store(b, row, dest + n + LANES)
        return
    n = 0
    while n + 4 * LANES <= width:
        a, b, c, d = first, first, first, first
        for i in range(planes):
            for j in range(lines):
                at = start + i * plane + j * line + n
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
        store(_lines(x, start + n, planes, plane, lines, line, first, is_max), row, dest + n)
        n += LANES
    store(_lines(x, start + last, planes, plane, lines, line, first, is_max), row, dest + last)


@inlined
def _windows(
    row: Any, at: int, kernel: int, dilation: int, stride: int, factors: Any, factor: int, is_max: int
) -> Any:
    """`LANES` neighbouring windows, the first of which begins at `at`."""
    combined = splat(np.float32(-np.inf)) if is_max else splat(np.float32(0.0))
    for n in range(kernel):
        combined = _both(load_every(row, at + n * dilation, stride), combined, is_max)
    return combined if is_max else combined * load(factors, factor)


@inlined
def _pool_row(
    row: Any, kernel: int, dilation: int, stride: int, factors: Any, factor: int, columns: int, out: Any,
    dest: int, end: int, is_max: int,
) -> None:  # fmt: skip
    """The results of a row of windows, which are `stride` elements apart.

    A short row is written as a vector; the next row overwrites what follows, up to element `end`.
    """
    if columns < LANES:
        v = _windows(row, 0, kernel, dilation, stride, factors, factor, is_max)
        if dest + LANES <= end:
            store(v, out, dest)
        else:
            store_part(v, out, dest, columns)
        return
    last = columns - LANES
    for n in range(0, last, LANES):
        v = _windows(row, n * stride, kernel, dilation, stride, factors, factor + n, is_max)
        store(v, out, dest + n)
    v = _windows(row, last * stride, kernel, dilation, stride, factors, factor + last, is_max)
    store(v, out, dest + last)


@inlined
def _rows(
    x: Any, start: int, planes: int, plane: int, width: int, row: Any, sizes: Any, tops: Any, bottoms: Any,
    factors: Any, factor: int, out: Any, dest: int, first: int, last: int, end: int, lowest: float,
    stride: int, is_max: int,
) -> None:  # fmt: skip
    columns, before, kernel, step, dilation = sizes[5], sizes[6], sizes[7], sizes[11], sizes[12]
    for y in range(first, last):
        lines, at = max(bottoms[y] - tops[y] + step - 1, 0) // step, dest + y * columns
        if is_max and planes * lines == 0:
            for column in range(columns):
                out[np.uint64(at + column)] = lowest
            continue
        top = start + tops[y] * width
        _fill_row(x, top, planes, plane, lines, step * width, width, row, before, is_max)
        _pool_row(row, kernel, dilation, stride, factors, factor + y * columns, columns, out, at, end, is_max)


@inner
def _plane(
    x: Any, start: int, planes: int, row: Any, sizes: Any, tops: Any, bottoms: Any, factors: Any, factor: int,
    out: Any, dest: int, first: int, last: int, end: int, lowest: float, is_max: int,
) -> None:  # fmt: skip
    """Output rows `first` to `last` of a plane, from `planes` planes of the volume."""
    stride, width, plane = sizes[8], sizes[2], sizes[10] * sizes[1] * sizes[2]
    if is_max:
        if stride == 1:
            _rows(
                x, start, planes, plane, width, row, sizes, tops, bottoms, factors, factor, out, dest, first,
                last, end, lowest, 1, 1,
            )  # fmt: skip
        elif stride == 2:
            _rows(
                x, start, planes, plane, width, row, sizes, tops, bottoms, factors, factor, out, dest, first,
                last, end, lowest, 2, 1,
            )  # fmt: skip
        else:
            _rows(
                x, start, planes, plane, width, row, sizes, tops, bottoms, factors, factor, out, dest, first,
                last, end, lowest, stride, 1,
            )  # fmt: skip
    elif stride == 1:
        _rows(
            x, start, planes, plane, width, row, sizes, tops, bottoms, factors, factor, out, dest, first,
            last, end, lowest, 1, 0,
        )  # fmt: skip
    elif stride == 2:
        _rows(
            x, start, planes, plane, width, row, sizes, tops, bottoms, factors, factor, out, dest, first,
            last, end, lowest, 2, 0,
        )  # fmt: skip
    else:
        _rows(
            x, start, planes, plane, width, row, sizes, tops, bottoms, factors, factor, out, dest, first,
            last, end, lowest, stride, 0,
        )  # fmt: skip


@entry("r", "w", "n", "n", "n", "n", "n", "r", "s", "i", "f", "n")
def pool_lines(
    x: Any, out: Any, fronts: Any, backs: Any, tops: Any, bottoms: Any, empty: Any, factors: Any, row: Any,
    is_max: int, lowest: float, sizes: Any, begin: int, end: int,
) -> None:  # fmt: skip
    """Output rows `begin` to `end`, counted over volumes.

    Window z, y, x spans the planes ``fronts[z]`` to ``backs[z]``, the lines ``tops[y]`` to ``bottoms[y]``,
    and as many elements as the kernel from the x-th multiple of the stride on, less those before the line;
    along each axis, they are as far apart as the dilation says.  Its sum is multiplied by
    ``factors[(z · rows + y) · columns + x]``, which `LANES` numbers follow; the maximum of an empty window
    is `lowest`.  `sizes` are the volume's and the output's depth, height and width, the elements before a
    line, the kernel, the stride, the number of columns in `empty`, whose windows have no element, and the
    dilations.  `row` is scratch memory for a row with all elements that its windows span.
    """
    depth, height, width = sizes[0], sizes[1], sizes[2]
    rows, columns = sizes[4], sizes[5]
    before, kernel, stride, empties = sizes[6], sizes[7], sizes[8], sizes[9]
    first, extent = splat(np.float32(-np.inf)) if is_max else splat(0.0), (kernel - 1) * sizes[12] + 1
    for n in range(0, max(before + width, (max(columns, LANES) - 1) * stride + extent), LANES):
        store(first, row, n)
    line = begin
    while line < end:
        y, plane = line % rows, line // rows
        z, volume = plane % sizes[3], plane // sizes[3]
        last = min(end, line + rows - y)
        _plane(
            x, (volume * depth + fronts[z]) * height * width,
            max(backs[z] - fronts[z] + sizes[10] - 1, 0) // sizes[10], row, sizes, tops, bottoms, factors,
            z * rows * columns, out, plane * rows * columns, y, y + last - line, end * columns, lowest,
            is_max,
        )  # fmt: skip
        if is_max and empties:
            for n in range(line, last):
                for place in range(empties):
                    out[n * columns + empty[place]] = lowest
        line = last
