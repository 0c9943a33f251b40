"""pool2d by numpy: one axis after the other, since maximum and sum are separable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.host.buffering import small_buffers
from lite.kernels.host.compute_dtype import compute_dtype, widened
from lite.kernels.host.padded import padded, padded_size
from lite.kernels.host.workspace import cut, elements
from lite.ops.image_attributes import PoolAttributes
from lite.ops.window import Window
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel, write

_LOWEST = {
    "float32": float(np.finfo(np.float32).min),
    "float64": float(np.finfo(np.float64).min),
    "int8": -128,
    "uint8": 0,
}
"""The maximum of a window outside the image."""


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    attrs, x = ctx.attrs.read(PoolAttributes), ctx.inputs["X"][0]
    sliding = _sliding(_nchw(x.sizes, attrs.is_channel_last), x.dtype.numpy, attrs)
    if sliding is None:
        return None
    workspace = ctx.scratch((sliding.workspace_size,), sliding.dtype)

    def run(X: Array, *, out: Array | None = None) -> Array:
        return _slid(sliding, X, attrs.is_channel_last, workspace.array, out)

    return run


@kernel("pool2d", attrs=PoolAttributes, prepare=_prepare)
def pool2d(X: Array, *, attrs: PoolAttributes, out: Array | None = None) -> Array:
    """Paddle pool2d: maximum or average of windows of images ``float[N, C, H, W]`` (or NHWC).

    The average divides by the number of elements in the image (exclusive) or in the padded image.  With
    `adaptive`, averages are of `ksize` bins, but maxima are of `ksize` windows along each axis, as in
    Paddle; max_pool2d_with_index computes adaptive maxima.
    """
    channel_last = attrs.is_channel_last
    x = np.moveaxis(X, -1, 1) if channel_last else X
    sliding = _sliding(x.shape, X.dtype, attrs)
    if sliding is not None:
        return _slid(sliding, X, channel_last, np.empty(sliding.workspace_size, sliding.dtype), out)
    if attrs.adaptive:
        pooled = _adaptive(x, x.shape[2:] if attrs.global_pooling else attrs.ksize)
    else:
        pooled = _global(x, attrs.pooling_type)
    return write(out, np.moveaxis(pooled, 1, -1) if channel_last else pooled)


@dataclass(frozen=True, eq=False)
class _Sliding:
    """Windows over images ``[N, C, H, W]`` of one shape; averages are sums over `divisors` ``[Ho, Wo]``.

    Sums have `dtype`; with `is_narrow`, the result has a narrower one.
    """

    windows: Sequence[Window]
    outs: Sequence[int]
    dtype: np.dtype[Any]
    fill: float
    divisors: Array | None
    border: int
    rows: tuple[int, int, int, int]
    """The shape after pooling along the rows."""
    is_narrow: bool

    @property
    def workspace_size(self) -> int:
        """The number of elements of `dtype` in the workspace."""
        return elements((self.border,), self.rows, self._wide)

    @property
    def _wide(self) -> tuple[int, ...]:
        return (*self.rows[:2], *self.outs) if self.is_narrow else (0,)

    def run(self, x: Array, out: Array, workspace: Array) -> None:
        """Write the maxima or averages of the windows to `out`."""
        border, rows, wide = cut(workspace, (self.border,), self.rows, self._wide)
        down, right = self.windows
        combine = np.maximum if self.divisors is None else np.add
        image = padded(x.astype(self.dtype, copy=False), self.windows, self.outs, self.fill, border)
        result = wide if self.is_narrow else out
        _slide_last(image, right, combine, rows)
        _slide_last(np.swapaxes(rows, 2, 3), down, combine, np.swapaxes(result, 2, 3))
        if self.divisors is not None:
            result /= self.divisors
        if self.is_narrow:
            np.copyto(out, wide, casting="same_kind")


def _sliding(shape: Sequence[int], dtype: np.dtype[Any], attrs: PoolAttributes) -> _Sliding | None:
    """The windows over images of an NCHW shape; None for a global window, and for averages of bins."""
    batch, channels, *sizes = shape
    is_max = attrs.is_max
    if attrs.is_global or (attrs.adaptive and not is_max):
        return None
    windows = attrs.windows(sizes)
    outs = [int(w.out(size, attrs.ceil_mode)) for w, size in zip(windows, sizes, strict=True)]
    if attrs.adaptive:
        outs = list(sizes if attrs.global_pooling else attrs.ksize)
    wide = dtype if is_max else compute_dtype(dtype)
    border = padded_size(shape, windows, outs)
    height = (outs[0] - 1) * windows[0].stride + windows[0].extent if border else sizes[0]
    divisors = None
    if not is_max:
        down, right = (
            _counts(w, n, size, attrs.exclusive) for w, n, size in zip(windows, outs, sizes, strict=True)
        )
        divisors = (down[:, None] * right).astype(wide)
    fill = _LOWEST.get(dtype.name, -np.inf) if is_max else 0.0
    rows = batch, channels, height, outs[1]
    return _Sliding(windows, outs, wide, fill, divisors, border, rows, wide != dtype)


def _slid(sliding: _Sliding, x: Array, channel_last: bool, workspace: Array, out: Array | None) -> Array:
    batch, channels = sliding.rows[:2]
    if out is None:
        shape = (batch, *sliding.outs, channels) if channel_last else (batch, channels, *sliding.outs)
        out = np.empty(shape, x.dtype)
    with small_buffers():
        if channel_last:
            sliding.run(np.moveaxis(x, -1, 1), np.moveaxis(out, -1, 1), workspace)
        else:
            sliding.run(x, out, workspace)
    return out


def _nchw(shape: Sequence[int], channel_last: bool) -> Sequence[int]:
    return [shape[0], shape[-1], *shape[1:-1]] if channel_last else shape


def _slide_last(x: Array, window: Window, combine: np.ufunc, out: Array) -> None:
    """Write `combine` of the windows along the last axis of `x` to `out`."""
    reach = (out.shape[-1] - 1) * window.stride + 1
    taps = [x[..., k : k + reach : window.stride] for k in range(window.kernel)]
    if len(taps) == 1:
        np.copyto(out, taps[0])
    else:
        combine(taps[0], taps[1], out=out)
    for tap in taps[2:]:
        combine(out, tap, out=out)


def _counts(window: Window, out: int, size: int, exclusive: bool) -> Array:
    """The number of elements of each window."""
    starts = np.arange(out) * window.stride - window.before
    stops = np.minimum(starts + window.kernel, size + (0 if exclusive else window.before))
    return stops - (np.maximum(starts, 0) if exclusive else starts)


def _adaptive(x: Array, outs: Sequence[int]) -> Array:
    """Averages of bins from ``floor(i·size/out)`` up to ``ceil((i+1)·size/out)``."""
    if list(outs) == [1, 1]:
        return _global(x, "avg")
    sums = _bins(_bins(widened(x), 3, outs[1]), 2, outs[0])
    down, right = (np.diff(_edges(size, out))[:, 0] for size, out in zip(x.shape[2:], outs, strict=True))
    sums /= (down[:, None] * right).astype(sums.dtype)
    return sums.astype(x.dtype, copy=False)


def _edges(size: int, out: int) -> Array:
    steps = np.arange(out)
    return np.stack([steps * size // out, -(-(steps + 1) * size // out)], axis=1)


def _bins(x: Array, axis: int, out: int) -> Array:
    size = x.shape[axis]
    if size % out == 0:
        split = x.reshape(*x.shape[:axis], out, size // out, *x.shape[axis + 1 :])
        reduced: Array = np.add.reduce(split, axis=axis + 1)
        return reduced
    rows = np.moveaxis(x, axis, 0)
    bins = [np.add.reduce(rows[start:stop], axis=0) for start, stop in _edges(size, out)]
    return np.moveaxis(np.stack(bins), 0, axis)


def _global(x: Array, pooling_type: str) -> Array:
    if pooling_type == "max":
        highest: Array = x.max(axis=(2, 3), keepdims=True)
        return highest
    mean: Array = widened(x).mean(axis=(2, 3), keepdims=True)
    return mean.astype(x.dtype, copy=False)
