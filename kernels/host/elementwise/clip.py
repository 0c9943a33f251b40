"""clip on the host."""

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("clip")
def clip(
    X: Array,
    Min: Array | None = None,
    Max: Array | None = None,
    *,
    min: float = 0.0,
    max: float = 0.0,
    out: Array | None = None,
) -> Array:
    """Every element between the bounds; Min and Max, where given, hold one element each."""
    low = min if Min is None else Min.reshape(-1)[0].item()
    high = max if Max is None else Max.reshape(-1)[0].item()
    if X.dtype.kind in "iu":
        low, high = int(low), int(high)
    return np.clip(X, low, high, out=np.empty(X.shape, X.dtype) if out is None else out)
