"""Summary: range, mean, NaN and infinities of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array, DType


@dataclass(frozen=True)
class Summary:
    """Numbers about the elements of a tensor, or of all tensors of a tensor array.

    `shape` is None for a tensor array.  `min`, `max` and `mean` are of the finite elements; None without
    finite elements, and for complex numbers and strings.  `nans` and `infs` count elements.  `zeros` is the
    fraction of zeros; None without elements, and for strings.
    """

    dtype: DType | None
    shape: tuple[int, ...] | None
    elements: int
    min: float | None = None
    max: float | None = None
    mean: float | None = None
    nans: int = 0
    infs: int = 0
    zeros: float | None = None

    @property
    def is_finite(self) -> bool:
        """Whether there is neither a NaN nor an infinity."""
        return not self.nans and not self.infs

    @property
    def trouble(self) -> str:
        """``2 NaN and 1 Inf of 8 elements``; empty when all are finite."""
        parts = [f"{count} {what}" for count, what in ((self.nans, "NaN"), (self.infs, "Inf")) if count]
        return f"{' and '.join(parts)} of {self.elements} elements" if parts else ""

    def merged(self, other: Summary) -> Summary:
        """The summary of the elements of both, with dtype and shape of `other`, the later one."""
        counts = [each.elements - each.nans - each.infs for each in (self, other)]
        return Summary(
            other.dtype,
            other.shape,
            self.elements + other.elements,
            min((each.min for each in (self, other) if each.min is not None), default=None),
            max((each.max for each in (self, other) if each.max is not None), default=None),
            _mean((self.mean, other.mean), counts),
            self.nans + other.nans,
            self.infs + other.infs,
            _mean((self.zeros, other.zeros), (self.elements, other.elements)),
        )


def summarize(value: Array | Sequence[Array]) -> Summary:
    """The summary of an array, or of a tensor array; None in a tensor array is an element never written."""
    if isinstance(value, np.ndarray):
        return _of_array(value)
    summary = Summary(None, None, 0)
    for item in value:
        if item is not None:
            summary = summary.merged(_of_array(item))
    return replace(summary, shape=None)


def _of_array(array: Array) -> Summary:
    dtype = DType.from_numpy(array.dtype)
    counted = Summary(dtype, array.shape, array.size)
    if dtype is DType.STRING or not array.size:
        return counted
    counted = replace(counted, zeros=1 - np.count_nonzero(array) / array.size)
    if dtype in (DType.COMPLEX64, DType.COMPLEX128):
        is_nan = np.isnan(array)
        is_inf = np.isinf(array) & ~is_nan
        return replace(counted, nans=int(np.count_nonzero(is_nan)), infs=int(np.count_nonzero(is_inf)))
    if not dtype.is_float:
        return _with_range(counted, array.view(np.uint8) if dtype is DType.BOOL else array)
    wide = array.astype(np.float32) if dtype.itemsize < 4 else array
    is_finite = np.isfinite(wide)
    if is_finite.all():
        return _with_range(counted, wide)
    nans = int(np.count_nonzero(np.isnan(wide)))
    infs = array.size - nans - int(np.count_nonzero(is_finite))
    return _with_range(replace(counted, nans=nans, infs=infs), wide[is_finite])


def _with_range(summary: Summary, numbers: Array) -> Summary:
    if not numbers.size:
        return summary
    mean = float(numbers.mean(dtype=np.float64))
    return replace(summary, min=float(numbers.min()), max=float(numbers.max()), mean=mean)


def _mean(means: Sequence[float | None], counts: Sequence[int]) -> float | None:
    pairs = [(mean, count) for mean, count in zip(means, counts, strict=True) if mean is not None and count]
    total = sum(count for _, count in pairs)
    return sum(mean * count for mean, count in pairs) / total if total else None
