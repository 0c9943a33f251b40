"""Merges axes of operands that broadcast against each other into as few as possible."""

from __future__ import annotations

from collections.abc import Sequence

Sizes = tuple[int, ...]

Spans = tuple[bool, ...]
"""For each axis, whether an operand has it; along the other axes its elements are repeated."""


def merged_axes(operands: Sequence[Sizes]) -> tuple[Sizes, list[Spans]]:
    """The sizes of the axes of the result, and which of them each operand has.

    Neighbouring axes that the same operands have become one axis.  Shapes are aligned at the last axis and
    must broadcast.

    >>> merged_axes([(2, 3, 4, 5), (3, 1, 1)])
    ((2, 3, 20), [(True, True, True), (False, True, False)])
    """
    rank = max(map(len, operands))
    padded = [(1,) * (rank - len(shape)) + shape for shape in operands]
    sizes: list[int] = []
    spans: list[Spans] = []
    for lengths in zip(*padded, strict=True):
        size = next((length for length in lengths if length != 1), 1)
        if size == 1:
            continue
        present = tuple(length != 1 for length in lengths)
        if spans and spans[-1] == present:
            sizes[-1] *= size
        else:
            sizes.append(size)
            spans.append(present)
    return tuple(sizes), [tuple(present[n] for present in spans) for n in range(len(operands))]
