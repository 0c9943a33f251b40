"""Integers that an op takes as a tensor, as a list of small tensors, or as an attribute.

Paddle's shape ops have up to three ways to say the same thing; a slot that is there counts, and the
attribute does not.  `elements` reads them for shape rules, `integers` for kernels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ops.schema import SCHEMAS
from lite.ops.view import Meta, OpView, product


def elements(op: OpView, attr: str, *slots: str) -> list[int | None] | None:
    """The numbers of the first of `slots` that the op has, else of the attribute.

    None stands for a number that is not known yet, and is returned when their count is not known.
    """
    for slot in slots:
        metas = op.all(slot)
        if metas:
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
    """The first number of the source when it is there, else the attribute."""
    return attr if source is None else int(source.reshape(-1)[0])


def _joined(metas: Sequence[Meta], *, repeated: bool) -> list[int | None] | None:
    found: list[int | None] = []
    for meta in metas:
        if meta.value is not None:
            found.extend(int(item) for item in meta.value.reshape(-1))
            continue
        count = 1 if repeated else None if meta.shape is None else product(meta.shape)
        if count is None:
            return None
        found.extend([None] * count)
    return found
