"""pad_nd and center_crop_pad by numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ops.ranges import pad_pairs
from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel, write


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    """Copies by indices that are computed once, for a border on a single axis."""
    x, attrs = ctx.inputs["X"][0], ctx.attrs
    if any(ctx.inputs.get(slot) for slot in ("Paddings", "Value", "Axes")):
        return None
    pairs, mode = pad_pairs(attrs.integers("paddings")), attrs.text("mode")
    rank = x.rank
    bordered = [
        (axis % rank, *pairs[2 * n : 2 * n + 2])
        for n, axis in enumerate(attrs.integers("axes") or range(rank))
        if any(pairs[2 * n : 2 * n + 2])
    ]
    if mode == "constant" or len(bordered) != 1:
        return None
    [(axis, before, after)] = bordered
    indices = _indices(x.sizes[axis], before, after, mode)

    def run(
        X: Array,
        Paddings: Array | None = None,
        Value: Array | None = None,
        Axes: Array | None = None,
        *,
        out: Array | None = None,
    ) -> Array:
        # All indices are valid; "clip" does not check them.
        return X.take(indices, axis, out, "clip")

    return run


@kernel("pad_nd", prepare=_prepare)
def pad_nd(
    X: Array,
    Paddings: Array | None,
    Value: Array | None,
    Axes: Array | None,
    *,
    paddings: Sequence[int],
    mode: str,
    value: float,
    axes: Sequence[int],
    out: Array | None = None,
) -> Array:
    """ONNX Pad: X with a border on some axes; negative paddings cut.

    A constant border has the element of Value, else `value`.
    """
    pairs = pad_pairs(integers(paddings, Paddings))
    widths = [(0, 0)] * X.ndim
    for n, axis in enumerate(integers(axes, Axes) or range(X.ndim)):
        widths[axis] = pairs[2 * n], pairs[2 * n + 1]
    if mode == "constant":
        filling = value if Value is None or not Value.size else Value.reshape(-1)[0]
        return _constant(X, widths, filling, out)
    result = X
    for axis, (before, after) in enumerate(widths):
        if before or after:
            result = result.take(_indices(X.shape[axis], before, after, mode), axis)
    return result.copy() if result is X and out is None else write(out, result)


def _constant(
    x: Array, widths: Sequence[tuple[int, int]], filling: float | np.generic, out: Array | None
) -> Array:
    shape = [size + before + after for size, (before, after) in zip(x.shape, widths, strict=True)]
    result = np.empty(shape, x.dtype) if out is None else out
    result.fill(filling)
    inside = tuple(slice(max(b, 0), size - max(a, 0)) for size, (b, a) in zip(shape, widths, strict=True))
    kept = tuple(slice(max(-b, 0), size - max(-a, 0)) for size, (b, a) in zip(x.shape, widths, strict=True))
    result[inside] = x[kept]
    return result


def _indices(size: int, before: int, after: int, mode: str) -> Array:
    """For each element of a padded axis, the index of its source."""
    indices = np.arange(-before, size + after)
    if mode == "edge":
        return np.clip(indices, 0, size - 1)
    if mode == "wrap":
        return indices % size
    period = max(2 * (size - 1), 1)
    indices = indices % period
    return np.minimum(indices, period - indices) if size > 1 else indices


@kernel("center_crop_pad")
def center_crop_pad(X: Array, Shape: Array, *, axes: Sequence[int]) -> Array:
    """ONNX CenterCropPad: the middle of X along `axes` (none: all), or X in the middle of zeros."""
    which = [axis % X.ndim for axis in axes] or list(range(X.ndim))
    shape = list(X.shape)
    taken, filled = [slice(None)] * X.ndim, [slice(None)] * X.ndim
    for axis, size in zip(which, (int(size) for size in Shape), strict=True):
        spare = abs(shape[axis] - size) // 2
        if size < shape[axis]:
            taken[axis] = slice(spare, spare + size)
        else:
            filled[axis] = slice(spare, spare + shape[axis])
        shape[axis] = size
    out = np.zeros(shape, X.dtype)
    out[tuple(filled)] = X[tuple(taken)]
    return out
