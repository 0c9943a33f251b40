"""The element type that a kernel computes in."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.plugin.kernel import Array

_WIDE = (np.dtype(np.float32), np.dtype(np.float64))


def compute_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """float32 for narrower floating point, whose sums would lose digits; else the type itself."""
    narrow = dtype.kind == "f" or dtype.kind == "V" or dtype.name.startswith(("bfloat", "float8"))
    return _WIDE[0] if narrow and dtype not in _WIDE else dtype


def widened(x: Array) -> Array:
    """`x` in its compute type; `x` itself where that is its type."""
    return x.astype(compute_dtype(x.dtype), copy=False)
