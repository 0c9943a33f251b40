"""Integers that an op takes as a tensor, as a list of small tensors, or as an attribute.

Ops of Paddle may accept all three forms; a slot that is used takes precedence over the attribute.
`elements` and `element` read them for shape rules, `integers` and `integer` for kernels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ops.schema import SCHEMAS
from lite.ops.view import Meta, OpView, product

MAX_NUMBERS = 1 << 16
"""The most numbers of a shape, a list of axes and the like; a shape has one for each axis."""


def elements(op: OpView, attr: str, *slots: str) -> list[int | None] | None:
    """The numbers of the first of `slots` that the op has, else of the attribute.

    An unknown number is None; the result is None where even their count is unknown.
    Raises `GraphError` for more than `MAX_NUMBERS` numbers, as only a damaged model has them.
    """
    for slot in slots:
        metas = op.all(slot)
        if metas:
            count = sum(product(meta.shape) or 0 for meta in metas if meta.shape is not None)
            if count > MAX_NUMBERS:
                raise op.error(slot, f"at most {MAX_NUMBERS} numbers", count)
            return _joined(metas, repeated=SCHEMAS[op.op].inputs[slot].repeated)
    return list(op.integers(attr))


def element(op: OpView, attr: str, *slots: str) -> int | None:
    """The single number of the first of `slots` that the op has, else of the attribute."""
    for slot in slots:
        if op.get(slot) is not None:
            values = op.values(slot)
            return values[0] if values else None
    return op.integer(attr)


def integers(attr: Sequence[int], *sources: np.ndarray | Sequence[np.ndarray] | None) -> list[int]:
    """The numbers of the first source that is not None, else of the attribute."""
    for source in sources:
        if isinstance(source, np.ndarray):
            return [int(item) for item in source.reshape(-1)]
        if source is not None:
            return [int(item) for array in source for item in array.reshape(-1)]
    return list(attr)


def integer(attr: int, source: np.ndarray | None) -> int:
    """The first number of the source, or the attribute without a source."""
    return attr if source is None else int(source.reshape(-1)[0])


def _joined(metas: Sequence[Meta], *, repeated: bool) -> list[int | None] | None:
    numbers: list[int | None] = []
    for meta in metas:
        if meta.value is not None:
            numbers.extend(int(item) for item in meta.value.reshape(-1))
            continue
        if meta.numbers is not None:
            numbers.extend(meta.numbers)
            continue
        count = 1 if repeated else None if meta.shape is None else product(meta.shape)
        if count is None:
            return None
        numbers.extend([None] * count)
    return numbers
