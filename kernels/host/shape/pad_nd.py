"""pad_nd on the host."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ops.defs.pad import pad_pairs
from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel, write


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    """Copies to places that are found once, where the border lies on one axis."""
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
    [(axis, before, behind)] = bordered
    places = _places(x.sizes[axis], before, behind, mode)

    def run(
        X: Array,
        Paddings: Array | None = None,
        Value: Array | None = None,
        Axes: Array | None = None,
        *,
        out: Array | None = None,
    ) -> Array:
        # All places are inside, which "clip" does not look at twice.
        return X.take(places, axis, out, "clip")

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
    if mode == "constant":
        places = np.arange(-pads[0], size + pads[1])
        inside = (places >= 0) & (places < size)
        shape = list(x.shape)
        shape[axis] = len(places)
        result = np.full(shape, filling, x.dtype)
        result[(slice(None),) * axis + (inside,)] = x.take(places[inside], axis)
        return result
    return x.take(_places(size, *pads, mode), axis)


def _places(size: int, before: int, behind: int, mode: str) -> Array:
    """Where the elements of an axis with its border come from."""
    places = np.arange(-before, size + behind)
    if mode == "edge":
        return np.clip(places, 0, size - 1)
    if mode == "wrap":
        return places % size
    period = max(2 * (size - 1), 1)
    places = places % period
    return np.minimum(places, period - places) if size > 1 else places
