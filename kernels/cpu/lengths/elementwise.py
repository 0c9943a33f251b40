"""Lengths for arithmetic of tensors that broadcast."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from lite.kernels.cpu.lengths.rows import ACTIVATION_PARAMETERS
from lite.plugin.kernel import Array

AXES = 4
"""The axes of `combine_tensors`."""


def combine_tensors(
    x: None, y: None, out: None, parameters: Array, x_steps: Array, y_steps: Array, kind: int, flags: int,
    size: int, second: int, third: int, width: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.broadcast.combine_tensors`."""
    sizes = (count, second, third, width)
    return (
        _reach(x_steps, sizes, size), _reach(y_steps, sizes, size), size, ACTIVATION_PARAMETERS, AXES, AXES,
    )  # fmt: skip


def unary(x: None, out: None, first: float, second: float, count: int) -> Sequence[int]:
    """The loops of `compiled.unary`."""
    return count, count


def _reach(steps: Array, sizes: Sequence[int], size: int) -> int:
    """The elements of an operand that the first `size` elements of a result of `sizes` read."""
    last, strides = size - 1, [int(step) for step in steps]
    # The index with the highest offset is the last one, or a smaller one in which all axes that follow a
    # decreased one are at their end.
    highest = before = 0
    for n, (stride, length) in enumerate(zip(strides, sizes, strict=True)):
        inner = math.prod(sizes[n + 1 :])
        index = min(last // inner, length - 1)
        if index:
            ends = sum(s * (m - 1) for s, m in zip(strides[n + 1 :], sizes[n + 1 :], strict=True))
            highest = max(highest, before + stride * (index - 1) + ends)
        before += stride * index
        last -= index * inner
    return max(highest, before) + 1


def group_lengths(
    accesses: Sequence[tuple[bool, bool]], numbers: int, results: int
) -> Callable[..., Sequence[int]]:
    """The lengths of a loop of `elementwise.group_loop`.

    `accesses` tell for each operand whether it is read like the result, and whether it is read along rows.
    """

    def lengths(*arguments: Any) -> Sequence[int]:
        *_, steps, second, middle, columns, count = arguments
        rows = -(-count // columns)
        outers = -(-rows // middle)
        last = (outers - 1) // second, min(second, outers) - 1, min(middle, rows) - 1
        operands = []
        for n, (is_full, is_along) in enumerate(accesses):
            start = sum(index * int(step) for index, step in zip(last, steps[3 * n : 3 * n + 3], strict=True))
            operands.append(count if is_full else start + (columns if is_along else 1))
        return *operands, numbers, *[count] * results, 3 * len(accesses)

    return lengths
