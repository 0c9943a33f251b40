"""Compares outputs with expected ones, such as those that another engine recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from lite.dataclass import dataclass
from lite.errors import InputError
from lite.ir.types import Array, DType
from lite.tools.arrays.files import read_arrays

IN, OUT = "in:", "out:"
"""The prefixes of the names of recorded inputs and outputs."""


@dataclass(frozen=True)
class Reference:
    """Recorded inputs and outputs by name."""

    inputs: Mapping[str, Array]
    outputs: Mapping[str, Array]


@dataclass(frozen=True)
class Comparison:
    """An output compared with the expected one.

    `error` is max|got-expected| / max|expected|, or None if shapes or dtypes differ.  `problem` describes the
    difference, or is None if the output is accepted.  If `is_near`, the error is above the tolerance, but the
    output is accepted since no element differs by more than the floor.
    """

    name: str
    error: float | None
    problem: str | None = None
    is_near: bool = False

    @property
    def verdict(self) -> str:
        """The problem, or a text that the outputs are equal."""
        return self.problem or ("equal: differences are below the floor" if self.is_near else "equal")

    @property
    def description(self) -> str:
        """The problem, with the name and the error."""
        error = "" if self.error is None else f", relative error {self.error:.3g}"
        return f"{self.name}: {self.problem}{error}"


def read_reference(path: Path) -> Reference:
    """The arrays ``in:NAME`` and ``out:NAME`` of an .npz file; raises `InputError` without an output."""
    arrays = read_arrays(path)
    inputs, outputs = (
        {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}
        for prefix in (IN, OUT)
    )
    if not outputs:
        names = ", ".join(arrays) or "none"
        raise InputError(f"{path}: expected an array called {OUT}NAME to compare with, got {names}")
    return Reference(inputs, outputs)


def compare(name: str, got: Array, expected: Array, tolerance: float, floor: float = 0.0) -> Comparison:
    """Compare the output `name` with the expected array.

    Shapes, dtypes, integers, booleans and strings must be equal; floats may have a relative error of
    `tolerance`.  Floats are also accepted if no element differs by more than `floor`: the relative error is
    meaningless if all numbers are nearly 0.  NaN equals NaN, and an infinity equals itself.
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
    if exact:
        return Comparison(name, error, "expected equal elements")
    if _is_near(got, expected, floor):
        return Comparison(name, error, None, is_near=True)
    return Comparison(name, error, f"above {tolerance:g}")


def _is_near(got: Array, expected: Array, floor: float) -> bool:
    """Whether no element differs by more than `floor`."""
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    return bool(np.allclose(got.astype(wide), expected.astype(wide), rtol=0, atol=floor, equal_nan=True))


def relative_error(got: Array, expected: Array) -> float:
    """max|got-expected| / max|expected|: 0 for equal arrays.

    Infinite if unequal elements are not finite, or if all expected ones are 0.  NaN equals NaN.
    """
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


def largest_error(errors: Iterable[float | None]) -> float | None:
    """The largest of some errors, 0 for none; None if one of them is None."""
    listed = list(errors)
    numbers = [error for error in listed if error is not None]
    return max(numbers, default=0.0) if len(numbers) == len(listed) else None
