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


def _line(combine: Any) -> Any:
    @inner
    def line(
        x: Any, x_start: int, x_step: int, y: Any, y_start: int, y_step: int, out: Any, dest: int, width: int
    ) -> None:
        whole = width // LANES * LANES
        rest = width - whole
        if not y_step:
            b = splat(y[y_start])
            for n in range(0, whole, LANES):
                store(combine(load(x, x_start + n), b), out, dest + n)
            if rest:
                store_part(combine(load_part(x, x_start + whole, rest), b), out, dest + whole, rest)
        elif not x_step:
            a = splat(x[x_start])
            for n in range(0, whole, LANES):
                store(combine(a, load(y, y_start + n)), out, dest + n)
            if rest:
                store_part(combine(a, load_part(y, y_start + whole, rest)), out, dest + whole, rest)
        else:
            for n in range(0, whole, LANES):
                store(combine(load(x, x_start + n), load(y, y_start + n)), out, dest + n)
            if rest:
                a, b = load_part(x, x_start + whole, rest), load_part(y, y_start + whole, rest)
                store_part(combine(a, b), out, dest + whole, rest)

    return line


def _lines(combine: Any) -> Any:
    line = _line(combine)

    @inner
    def lines(
        x: Any, x_start: int, x_steps: Any, y: Any, y_start: int, y_steps: Any, out: Any, dest: int,
        size: int, second: int, third: int, width: int,
    ) -> None:  # fmt: skip
        x_second, x_third, x_last = x_steps[1], x_steps[2], x_steps[3]
        y_second, y_third, y_last = y_steps[1], y_steps[2], y_steps[3]
        for j in range(second):
            place = dest + j * third * width
            a, b = x_start + j * x_second, y_start + j * y_second
            for _ in range(min(third, (size - place + width - 1) // width)):
                line(x, a, x_last, y, b, y_last, out, place, min(width, size - place))
                a, b, place = a + x_third, b + y_third, place + width

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
