"""Images with a border, for whatever slides windows over them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ops.window import Window
from lite.plugin.kernel import Array


def padded(
    x: Array, windows: Sequence[Window], outs: Sequence[int], fill: float = 0.0, room: Array | None = None
) -> Array:
    """`x` (spatial axes last) with what its windows need around it, or `x` itself if that is nothing.

    Axis n is as long as the `outs[n]` positions of `windows[n]` span: shorter than `x` where the last
    elements are never read, longer than its padding says where windows end outside (ceil mode).  It is
    made in `room`, a vector of `padded_size` elements, where that is given.
    """
    spans = _spans(windows, outs)
    sizes = x.shape[x.ndim - len(spans) :]
    if not padded_size(x.shape, windows, outs):
        return x
    shape = (*x.shape[: x.ndim - len(spans)], *spans)
    bordered = np.empty(shape, x.dtype) if room is None else room.reshape(shape)
    bordered.fill(fill)
    inside: list[slice] = []
    kept: list[slice] = []
    for w, span, size in zip(windows, spans, sizes, strict=True):
        count = max(min(size, span - w.before), 0)
        inside.append(slice(w.before, w.before + count))
        kept.append(slice(0, count))
    lead = [slice(None)] * (x.ndim - len(spans))
    bordered[tuple(lead + inside)] = x[tuple(lead + kept)]
    return bordered


def padded_size(shape: Sequence[int], windows: Sequence[Window], outs: Sequence[int]) -> int:
    """Elements of what `padded` makes of an array of this shape; 0 where that is the array itself."""
    spans = _spans(windows, outs)
    lead, sizes = shape[: len(shape) - len(spans)], shape[len(shape) - len(spans) :]
    if all(w.before == 0 and span <= size for w, span, size in zip(windows, spans, sizes, strict=True)):
        return 0
    return math.prod(lead) * math.prod(spans)


def _spans(windows: Sequence[Window], outs: Sequence[int]) -> list[int]:
    return [(out - 1) * w.stride + w.extent for w, out in zip(windows, outs, strict=True)]


def patches(x: Array, windows: Sequence[Window], outs: Sequence[int]) -> Array:
    """A view of the windows on `x` (padded), to be read: ``[..., kernel sizes, outs]``."""
    lead = x.ndim - len(windows)
    strides = x.strides[lead:]
    shape = (*x.shape[:lead], *(w.kernel for w in windows), *outs)
    steps = (
        *x.strides[:lead],
        *(w.dilation * stride for w, stride in zip(windows, strides, strict=True)),
        *(w.stride * stride for w, stride in zip(windows, strides, strict=True)),
    )
    if x.flags.c_contiguous:
        # At once: as_strided takes longer, and some bytes for good at every call (seen in numpy 2.4).
        return np.ndarray(shape, x.dtype, x, 0, steps)
    return np.lib.stride_tricks.as_strided(x, shape, steps, writeable=False)
