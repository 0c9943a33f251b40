"""The compute dtype of a kernel: the element type of its intermediate results."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.plugin.kernel import Array

_WIDE = (np.dtype(np.float32), np.dtype(np.float64))


def compute_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """float32 for narrower floating point types, whose sums would lose digits; any other type unchanged."""
    narrow = dtype.kind == "f" or dtype.kind == "V" or dtype.name.startswith(("bfloat", "float8"))
    return _WIDE[0] if narrow and dtype not in _WIDE else dtype


def widened(x: Array) -> Array:
    """`x` in its compute dtype, without a copy where it has that dtype."""
    return x.astype(compute_dtype(x.dtype), copy=False)
