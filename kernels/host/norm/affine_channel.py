"""affine_channel on the host."""

from __future__ import annotations

import numpy as np

from lite.ops.window import is_channel_last
from lite.plugin.kernel import Array, kernel


@kernel("affine_channel")
def affine_channel(
    X: Array, Scale: Array, Bias: Array, *, data_layout: str, out: Array | None = None
) -> Array:
    """``X · Scale + Bias`` per channel."""
    channel_last = is_channel_last(data_layout) or X.ndim == 2
    shape = (-1,) if channel_last else (-1, *[1] * (X.ndim - 2))
    result = np.multiply(X, Scale.reshape(shape), out=out)
    result += Bias.reshape(shape)
    return result
