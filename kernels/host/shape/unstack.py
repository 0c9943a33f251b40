"""unstack by numpy."""

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("unstack")
def unstack(X: Array, *, axis: int, out: list[Array] | None = None) -> list[Array]:
    """The slices of X along an axis, each without that axis."""
    slices = np.moveaxis(X, axis, 0)
    if out is None:
        return [part.copy() for part in slices]
    for target, part in zip(out, slices, strict=True):
        target[...] = part
    return out
