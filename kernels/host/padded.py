"""Images with a border, for whatever slides windows over them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ops.window import Window
from lite.plugin.kernel import Array


def padded(x: Array, windows: Sequence[Window], outs: Sequence[int], fill: float = 0.0) -> Array:
    """`x` (spatial axes last) with what its windows need around it, or `x` itself if that is nothing.

    Axis n is as long as the `outs[n]` positions of `windows[n]` span: shorter than `x` where the last
    elements are never read, longer than its padding says where windows end outside (ceil mode).
    """
    spans = [(out - 1) * w.stride + w.extent for w, out in zip(windows, outs, strict=True)]
    sizes = x.shape[x.ndim - len(spans) :]
    if all(w.before == 0 and span <= size for w, span, size in zip(windows, spans, sizes, strict=True)):
        return x
    bordered = np.full((*x.shape[: x.ndim - len(spans)], *spans), fill, x.dtype)
    inside: list[slice] = []
    kept: list[slice] = []
    for w, span, size in zip(windows, spans, sizes, strict=True):
        count = max(min(size, span - w.before), 0)
        inside.append(slice(w.before, w.before + count))
        kept.append(slice(0, count))
    lead = [slice(None)] * (x.ndim - len(spans))
    bordered[tuple(lead + inside)] = x[tuple(lead + kept)]
    return bordered


def patches(x: Array, windows: Sequence[Window], outs: Sequence[int]) -> Array:
    """A read-only view of the windows on `x` (padded): ``[..., kernel sizes, outs]``."""
    lead = x.ndim - len(windows)
    strides = x.strides[lead:]
    return np.lib.stride_tricks.as_strided(
        x,
        (*x.shape[:lead], *(w.kernel for w in windows), *outs),
        (
            *x.strides[:lead],
            *(w.dilation * stride for w, stride in zip(windows, strides, strict=True)),
            *(w.stride * stride for w, stride in zip(windows, strides, strict=True)),
        ),
        writeable=False,
    )
