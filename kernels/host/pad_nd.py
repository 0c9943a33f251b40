"""pad_nd on the host."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ops.pad import pad_pairs
from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, kernel, write


@kernel("pad_nd")
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
    """X with a border on any of its axes; what it is filled with is `Value`'s element, else `value`."""
    pairs = pad_pairs(integers(paddings, Paddings))
    chosen = integers(axes, Axes) or range(X.ndim)
    filling = X.dtype.type(value) if Value is None or not Value.size else Value.reshape(-1)[0]
    result = X
    for n, axis in enumerate(chosen):
        before, behind = pairs[2 * n], pairs[2 * n + 1]
        if before or behind:
            result = _bordered(result, axis % X.ndim, (before, behind), mode, filling)
    return result.copy() if result is X and out is None else write(out, result)


def _bordered(x: Array, axis: int, pads: tuple[int, int], mode: str, filling: object) -> Array:
    size = x.shape[axis]
    places = np.arange(-pads[0], size + pads[1])
    if mode == "constant":
        inside = (places >= 0) & (places < size)
        shape = list(x.shape)
        shape[axis] = len(places)
        result = np.full(shape, filling, x.dtype)
        result[(slice(None),) * axis + (inside,)] = x.take(places[inside], axis)
        return result
    if mode == "edge":
        places = np.clip(places, 0, size - 1)
    elif mode == "wrap":
        places = places % size
    else:
        period = max(2 * (size - 1), 1)
        places = places % period
        places = np.minimum(places, period - places) if size > 1 else places
    return x.take(places, axis)
