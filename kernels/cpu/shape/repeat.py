"""tile, expand_v2, broadcast_to and their relatives as copies of rows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from lite.ir.types import DType
from lite.kernels.cpu.element_types import is_plain
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.plugin.kernel import KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_repeat_rows = Function("moves.byte_moves.repeat_rows")

_OTHERS = 3
"""The axes that the compiled function takes besides the rows and their repetition."""


def repeated_axes(shape: Sequence[int], out_shape: Sequence[int]) -> list[tuple[int, int]]:
    """The axes of the result as sizes and strides in the input, merged; a repetition has stride 0.

    >>> repeated_axes((1, 4, 5), (3, 4, 10))
    [(3, 0), (4, 5), (2, 0), (5, 1)]
    """
    padded = (1,) * (len(out_shape) - len(shape)) + tuple(shape)
    axes: list[tuple[int, int]] = []
    step = 1
    for size, goal in zip(reversed(padded), reversed(out_shape), strict=True):
        for each in ((size, step), (goal // size, 0)):
            if each[0] == 1:
                continue
            inner = axes[-1] if axes else None
            if inner is not None and each[1] == inner[0] * inner[1]:
                axes[-1] = (each[0] * inner[0], inner[1])
            else:
                axes.append(each)
        step *= size
    return axes[::-1]


def _repeat(ctx: PrepareContext) -> KernelFunction | None:
    """Copies of rows; None for too many axes."""
    [x], [result] = ctx.inputs["X"], next(iter(ctx.outputs.values()))
    shape, out_shape, size = x.sizes, result.sizes, x.dtype.itemsize
    if 0 in (*shape, *out_shape):
        return None
    axes = repeated_axes(shape, out_shape)
    width = axes.pop()[0] if axes and axes[-1][1] == 1 else 1
    times = axes.pop()[0] if axes and axes[-1][1] == 0 else 1
    if len(axes) > _OTHERS:
        return None
    (first, step), (second, second_step), (third, third_step) = [
        *[(1, 0)] * (_OTHERS - len(axes)), *((count, step * size) for count, step in axes),
    ]  # fmt: skip
    job = _repeat_rows.bind(
        FREE, FREE, second, third, step, second_step, third_step, width * size, times,
        count=first * second, cost=PER_ELEMENT * math.prod(out_shape) * size // 4,
    )  # fmt: skip
    return launching(job, result)


_OPS = ("broadcast_to", "expand_as", "expand_as_v2", "expand_v2", "tile")

for _op, _dtype in itertools.product(_OPS, filter(is_plain, DType)):
    kernel(_op, "cpu", dtype=_dtype, slots=("X",), fallback="host")(_repeat)
