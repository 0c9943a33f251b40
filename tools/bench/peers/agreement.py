"""Whether answers of engines agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.types import Array
from lite.tools.bench.peers.peer import CannotRunError

TOLERANCE = 1e-3
"""Of the largest value of an output: what is called equal across devices."""


def difference(got: Sequence[Array], expected: Sequence[Array]) -> float:
    """The largest difference of any output, relative to the largest value of that output.

    Raises `CannotRunError` where it is above `TOLERANCE`, or the shapes are others.
    """
    shapes = [[array.shape for array in arrays] for arrays in (got, expected)]
    if shapes[0] != shapes[1]:
        raise CannotRunError(f"its answers have the shapes {shapes[0]}, not {shapes[1]}")
    found = max(
        (
            float(np.abs(a - b).max()) / max(float(np.abs(b).max()), 1e-30)
            for a, b in zip(got, expected, strict=True)
            if b.size
        ),
        default=0.0,
    )
    if not found <= TOLERANCE:
        raise CannotRunError(f"its answers differ by {found:.1e} of the largest value")
    return found
