"""Random arrays, and their comparison."""

from __future__ import annotations

import numpy as np

from lite.ir.types import Array


def floats(*shape: int, seed: int = 0) -> Array:
    """Standard normal numbers, float32."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def integers(*shape: int, seed: int = 0) -> Array:
    """Integers from -100 to 99, int32."""
    return np.random.default_rng(seed).integers(-100, 100, shape).astype(np.int32)


def assert_close(result: Array, expected: Array, tolerance: float) -> None:
    """Equal shapes and element types; equal elements, real ones within `tolerance` of the largest."""
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    if expected.dtype.kind == "f":
        largest = max(float(np.max(np.abs(expected), initial=0)), 1e-6)
        assert float(np.max(np.abs(result - expected), initial=0)) <= tolerance * largest
    else:
        np.testing.assert_array_equal(result, expected)
