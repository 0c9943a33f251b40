"""Pads images for sliding windows, and selects the elements that the windows cover."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lite.ops.window import Window
from lite.plugin.kernel import Array


def padded(
    x: Array,
    windows: Sequence[Window],
    outs: Sequence[int],
    fill: float = 0.0,
    workspace: Array | None = None,
) -> Array:
    """`x` (spatial axes last) with the border that its windows need, or `x` if they need none.

    Spatial axis n has the length that `outs[n]` positions of `windows[n]` cover.  It is shorter than that of
    `x` if no window reads the last elements, and longer than `x` and its padding if the last window ends
    outside (ceil mode).  The border has the value `fill`.  The result is written to `workspace`, a vector of
    `padded_size` elements, or to new memory.
    """
    spans = _spans(windows, outs)
    sizes = x.shape[x.ndim - len(spans) :]
    if not padded_size(x.shape, windows, outs):
        return x
    shape = (*x.shape[: x.ndim - len(spans)], *spans)
    bordered = np.empty(shape, x.dtype) if workspace is None else workspace.reshape(shape)
    bordered.fill(fill)
    inside: list[slice] = []
    kept: list[slice] = []
    for w, span, size in zip(windows, spans, sizes, strict=True):
        before, cut = max(w.before, 0), max(-w.before, 0)
        count = max(min(size - cut, span - before), 0)
        inside.append(slice(before, before + count))
        kept.append(slice(cut, cut + count))
    lead = [slice(None)] * (x.ndim - len(spans))
    bordered[tuple(lead + inside)] = x[tuple(lead + kept)]
    return bordered


def without_border(x: Array, windows: Sequence[Window], sizes: Sequence[int]) -> Array:
    """A padded array (spatial axes last) without its border; `sizes` are the sizes of the spatial axes."""
    inside: tuple[Any, ...] = tuple(
        slice(w.before, w.before + n) for w, n in zip(windows, sizes, strict=True)
    )
    return x[(..., *inside)]


def padded_size(shape: Sequence[int], windows: Sequence[Window], outs: Sequence[int]) -> int:
    """The number of elements that `padded` returns for this shape; 0 if it returns the array itself."""
    spans = _spans(windows, outs)
    lead, sizes = shape[: len(shape) - len(spans)], shape[len(shape) - len(spans) :]
    if all(w.before == 0 and span <= size for w, span, size in zip(windows, spans, sizes, strict=True)):
        return 0
    return math.prod(lead) * math.prod(spans)


def _spans(windows: Sequence[Window], outs: Sequence[int]) -> list[int]:
    return [(out - 1) * w.stride + w.extent for w, out in zip(windows, outs, strict=True)]


def tap_slices(windows: Sequence[Window], counts: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """For each tap (position in a window), the index that selects its elements in a padded image.

    It selects `counts[n]` elements along spatial axis n, one for each position of the window.
    """
    for tap in itertools.product(*(range(w.kernel) for w in windows)):
        starts = (t * w.dilation for t, w in zip(tap, windows, strict=True))
        spans = zip(starts, windows, counts, strict=True)
        yield (..., *(slice(a, a + (n - 1) * w.stride + 1, w.stride) for a, w, n in spans))


def patches(x: Array, windows: Sequence[Window], outs: Sequence[int]) -> Array:
    """A read-only view ``[..., kernel sizes, outs]`` of the windows of `x`, which is padded."""
    lead = x.ndim - len(windows)
    strides = x.strides[lead:]
    shape = (*x.shape[:lead], *(w.kernel for w in windows), *outs)
    steps = (
        *x.strides[:lead],
        *(w.dilation * stride for w, stride in zip(windows, strides, strict=True)),
        *(w.stride * stride for w, stride in zip(windows, strides, strict=True)),
    )
    if x.flags.c_contiguous:
        # as_strided takes longer, and leaks some bytes at every call (seen in numpy 2.4).
        return np.ndarray(shape, x.dtype, x, 0, steps)
    return np.lib.stride_tricks.as_strided(x, shape, steps, writeable=False)
