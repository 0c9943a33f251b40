"""Compares outputs with those that another engine recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lite.errors import InputError
from lite.ir.types import Array, DType
from lite.tools.feeds import read_arrays

IN, OUT = "in:", "out:"
"""What the names of recorded inputs and outputs begin with."""


@dataclass(frozen=True)
class Reference:
    """Recorded inputs and outputs by name."""

    inputs: Mapping[str, Array]
    outputs: Mapping[str, Array]


@dataclass(frozen=True)
class Comparison:
    """How far an output is from the recorded one.

    `error` is max|a-b| / max|b|, None where shapes or dtypes differ; `problem` says what is wrong.
    """

    name: str
    error: float | None
    problem: str | None = None


def read_reference(path: Path) -> Reference:
    """The arrays ``in:NAME`` and ``out:NAME`` of an .npz file; raises `InputError` without an output."""
    arrays = read_arrays(path)
    inputs, outputs = (
        {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}
        for prefix in (IN, OUT)
    )
    if not outputs:
        found = ", ".join(arrays) or "none"
        raise InputError(f"{path}: no array is called {OUT}NAME, there is nothing to compare; it has {found}")
    return Reference(inputs, outputs)


def compare(name: str, got: Array, expected: Array, tolerance: float) -> Comparison:
    """Shapes and dtypes must be equal, integers, booleans and texts too, floats within `tolerance`.

    NaN is equal to NaN, an infinity to itself.
    """
    if got.shape != expected.shape:
        return Comparison(name, None, f"expected shape {list(expected.shape)}, got {list(got.shape)}")
    dtypes = [DType.from_numpy(array.dtype) for array in (expected, got)]
    if dtypes[0] is not dtypes[1]:
        return Comparison(name, None, f"expected {dtypes[0]}, got {dtypes[1]}")
    if dtypes[0] is DType.STRING:
        error = 0.0 if np.array_equal(got, expected) else 1.0
    else:
        error = relative_error(got, expected)
    exact = not (dtypes[0].is_float or dtypes[0] in (DType.COMPLEX64, DType.COMPLEX128))
    if error <= (0 if exact else tolerance):
        return Comparison(name, error)
    return Comparison(name, error, "expected equal elements" if exact else f"above {tolerance:g}")


def relative_error(got: Array, expected: Array) -> float:
    """max|a-b| / max|b|, 0 for equal arrays, infinite where one is not finite and the other differs."""
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    a, b = got.astype(wide), expected.astype(wide)
    same = (got == expected) | (np.isnan(a) & np.isnan(b))
    if same.all():
        return 0.0
    a, b = a[~same], b[~same]
    highest = np.abs(expected.astype(wide)[np.isfinite(expected.astype(wide))]).max(initial=0.0)
    if highest == 0 or not (np.isfinite(a) & np.isfinite(b)).all():
        return float("inf")
    return float(np.abs(a - b).max() / highest)
