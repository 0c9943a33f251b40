"""pad, pad2d and pad3d on the host."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ops.defs.pad import image_axes
from lite.plugin.kernel import Array, kernel, write

_MODES = {"reflect": "reflect", "edge": "edge", "replicate": "edge", "circular": "wrap"}


@kernel("pad")
def pad(X: Array, *, paddings: Sequence[int], pad_value: float, out: Array | None = None) -> Array:
    """Constants before and after each axis; negative paddings cut."""
    return _constant(X, list(zip(paddings[::2], paddings[1::2], strict=True)), pad_value, out)


@kernel("pad2d")
def pad2d(
    X: Array,
    Paddings: Array | None,
    *,
    paddings: Sequence[int],
    mode: str,
    pad_value: float,
    data_format: str,
    out: Array | None = None,
) -> Array:
    """A border around images; paddings are top, bottom, left, right."""
    axes = image_axes(data_format, 4)
    return _bordered(X, axes, paddings if Paddings is None else Paddings.tolist(), mode, pad_value, out)


@kernel("pad3d")
def pad3d(
    X: Array,
    Paddings: Array | None,
    *,
    paddings: Sequence[int],
    mode: str,
    value: float,
    data_format: str,
    out: Array | None = None,
) -> Array:
    """A border around volumes; paddings are left, right, top, bottom, front, back."""
    axes = image_axes(data_format, 5)[::-1]
    return _bordered(X, axes, paddings if Paddings is None else Paddings.tolist(), mode, value, out)


def _bordered(
    x: Array, axes: Sequence[int], paddings: Sequence[int], mode: str, value: float, out: Array | None
) -> Array:
    widths = [(0, 0)] * x.ndim
    for n, axis in enumerate(axes):
        widths[axis] = (paddings[2 * n], paddings[2 * n + 1])
    if mode == "constant":
        return _constant(x, widths, value, out)
    return write(out, np.pad(x, widths, mode=_MODES[mode]))  # type: ignore[call-overload]


def _constant(x: Array, widths: Sequence[tuple[int, int]], value: float, out: Array | None) -> Array:
    shape = [size + before + after for size, (before, after) in zip(x.shape, widths, strict=True)]
    result = np.empty(shape, x.dtype) if out is None else out
    result.fill(value)
    inside = tuple(slice(max(b, 0), size - max(a, 0)) for size, (b, a) in zip(shape, widths, strict=True))
    kept = tuple(slice(max(-b, 0), size - max(-a, 0)) for size, (b, a) in zip(x.shape, widths, strict=True))
    result[inside] = x[kept]
    return result
