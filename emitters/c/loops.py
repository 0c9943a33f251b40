"""Loops over arrays that broadcast: neighbouring axes are merged where all operands allow it."""

from __future__ import annotations

import math
from collections.abc import Sequence


def strides_of(shape: Sequence[int]) -> list[int]:
    """The elements from one index of each axis to the next, for an array in C order."""
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


def broadcast_strides(shape: Sequence[int], over: Sequence[int]) -> list[int]:
    """The strides of an operand of `shape`, aligned at the right, for loops over `over`; 0 where it has 1."""
    padded = [1] * (len(over) - len(shape)) + list(shape)
    return [0 if size == 1 else stride for size, stride in zip(padded, strides_of(padded), strict=True)]


def merged(sizes: Sequence[int], operands: Sequence[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
    """The same loops with fewer axes; axes of size 1 are dropped.  At least one axis is left."""
    kept: list[int] = []
    strides: list[list[int]] = [[] for _ in operands]
    for axis, size in enumerate(sizes):
        if size == 1:
            continue
        if kept and all(s[-1] == operand[axis] * size for s, operand in zip(strides, operands, strict=True)):
            kept[-1] *= size
            for s, operand in zip(strides, operands, strict=True):
                s[-1] = operand[axis]
            continue
        kept.append(size)
        for s, operand in zip(strides, operands, strict=True):
            s.append(operand[axis])
    if not kept:
        return [1], [[0] for _ in operands]
    return kept, strides


def index(strides: Sequence[int], first: int = 0) -> str:
    """The C index of an operand in loops over i0, i1, …; `first` is added."""
    terms = [f"i{n}" if stride == 1 else f"i{n} * {stride}" for n, stride in enumerate(strides) if stride]
    if first or not terms:
        terms.append(str(first))
    return " + ".join(terms)


def loops(sizes: Sequence[int], body: Sequence[str], *, parallel: bool = False) -> list[str]:
    """Nested loops over i0, i1, …; with `parallel`, the iterations of the innermost are independent."""
    lines = []
    for n, size in enumerate(sizes):
        if parallel and n == len(sizes) - 1:
            lines.append("LB_PARALLEL")
        lines.append(f"for (ptrdiff_t i{n} = 0; i{n} < {size}; i{n}++) {{")
    return [*lines, *body, "}" * len(sizes)]
