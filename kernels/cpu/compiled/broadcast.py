"""Arithmetic of two tensors that broadcast."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.codes import DIFFERENCE, MAXIMUM, MINIMUM, PRODUCT, QUOTIENT
from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import load, load_part, maximum, splat, store, store_part
from lite.kernels.cpu.compiled.microkernels.combine import add, divide, minimum, multiply, subtract
from lite.kernels.cpu.compiled.squeeze_excite import activated
from lite.kernels.cpu.tile_sizes import LANES


def _rows(combine: Any) -> Any:
    """Neighbouring rows of the result; the last steps say whether a tensor is one number along a row."""

    @inner
    def rows(
        x: Any, a: int, x_step: int, x_last: int, y: Any, b: int, y_step: int, y_last: int, out: Any,
        dest: int, count: int, width: int,
    ) -> None:  # fmt: skip
        whole = width // LANES * LANES
        rest = width - whole
        if not y_last:
            for _ in range(count):
                second = splat(y[b])
                for n in range(0, whole, LANES):
                    store(combine(load(x, a + n), second), out, dest + n)
                if rest:
                    store_part(combine(load_part(x, a + whole, rest), second), out, dest + whole, rest)
                a, b, dest = a + x_step, b + y_step, dest + width
        elif not x_last:
            for _ in range(count):
                first = splat(x[a])
                for n in range(0, whole, LANES):
                    store(combine(first, load(y, b + n)), out, dest + n)
                if rest:
                    store_part(combine(first, load_part(y, b + whole, rest)), out, dest + whole, rest)
                a, b, dest = a + x_step, b + y_step, dest + width
        else:
            for _ in range(count):
                for n in range(0, whole, LANES):
                    store(combine(load(x, a + n), load(y, b + n)), out, dest + n)
                if rest:
                    first, second = load_part(x, a + whole, rest), load_part(y, b + whole, rest)
                    store_part(combine(first, second), out, dest + whole, rest)
                a, b, dest = a + x_step, b + y_step, dest + width

    return rows


def _lines(combine: Any) -> Any:
    rows = _rows(combine)

    @inner
    def lines(
        x: Any, x_start: int, x_steps: Any, y: Any, y_start: int, y_steps: Any, out: Any, dest: int,
        size: int, second: int, third: int, width: int,
    ) -> None:  # fmt: skip
        x_step, x_last, y_step, y_last = x_steps[2], x_steps[3], y_steps[2], y_steps[3]
        for j in range(second):
            place = dest + j * third * width
            a, b = x_start + j * x_steps[1], y_start + j * y_steps[1]
            count = max(min(third, (size - place) // width), 0)
            rows(x, a, x_step, x_last, y, b, y_step, y_last, out, place, count, width)
            rest = size - place - count * width
            if count < third and rest > 0:
                a, b, place = a + count * x_step, b + count * y_step, place + count * width
                rows(x, a, x_step, x_last, y, b, y_step, y_last, out, place, 1, rest)

    return lines


_totals = _lines(add)
_differences = _lines(subtract)
_products = _lines(multiply)
_quotients = _lines(divide)
_maxima = _lines(maximum)
_minima = _lines(minimum)


@entry("r", "r", "w", "r", "n", "n", "i", "i", "i", "i", "i", "i")
def combine_tensors(
    x: Any, y: Any, out: Any, parameters: Any, x_steps: Any, y_steps: Any, kind: int, flags: int, size: int,
    second: int, third: int, width: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Combine two tensors for the indices `begin` to `end` of the first of four axes.

    The other axes have `second`, `third` and `width` elements; `size` is the number of elements of the
    result, which may end before the last axis does.  Steps are strides in elements: 0 along axes in which a
    tensor is repeated, and along the last axis 0 or 1.
    """
    inner_size = second * third * width
    for i in range(begin, end):
        a, b, dest = i * x_steps[0], i * y_steps[0], i * inner_size
        if kind == PRODUCT:
            _products(x, a, x_steps, y, b, y_steps, out, dest, size, second, third, width)
        elif kind == DIFFERENCE:
            _differences(x, a, x_steps, y, b, y_steps, out, dest, size, second, third, width)
        elif kind == QUOTIENT:
            _quotients(x, a, x_steps, y, b, y_steps, out, dest, size, second, third, width)
        elif kind == MAXIMUM:
            _maxima(x, a, x_steps, y, b, y_steps, out, dest, size, second, third, width)
        elif kind == MINIMUM:
            _minima(x, a, x_steps, y, b, y_steps, out, dest, size, second, third, width)
        else:
            _totals(x, a, x_steps, y, b, y_steps, out, dest, size, second, third, width)
        if flags:
            last = min(dest + inner_size, size)
            for n in range(dest, last, LANES):
                store_part(activated(load_part(out, n, last - n), flags, parameters), out, n, last - n)
