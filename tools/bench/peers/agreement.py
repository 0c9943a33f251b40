"""Compares the answers of engines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.types import Array
from lite.tools.bench.peers.peer import CannotRunError

TOLERANCE = 1e-3
"""The largest difference of equal answers, relative to the largest value of an output."""


def difference(got: Sequence[Array], expected: Sequence[Array]) -> float:
    """The largest difference of any output, relative to the largest value of that output.

    Raises `CannotRunError` if it is above `TOLERANCE`, or if the shapes differ.
    """
    shapes = [[array.shape for array in arrays] for arrays in (got, expected)]
    if shapes[0] != shapes[1]:
        raise CannotRunError(f"expected answers of the shapes {shapes[1]}, got {shapes[0]}")
    largest = max(
        (
            float(np.abs(a - b).max()) / max(float(np.abs(b).max()), 1e-30)
            for a, b in zip(got, expected, strict=True)
            if b.size
        ),
        default=0.0,
    )
    if not largest <= TOLERANCE:
        raise CannotRunError(f"its answers differ by {largest:.1e} of the largest value")
    return largest
