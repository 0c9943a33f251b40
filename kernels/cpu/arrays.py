"""Arrays as arguments of compiled functions."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array

NO_VECTOR: Array = np.zeros(0, np.float32)
"""The argument for a vector that the function does not read."""


def as_words(x: Array) -> Array:
    """An array of elements of 4 bytes as float32, as which compiled functions move them; others as they are.

    An array that is not contiguous stays so: what launches has to know of a copy.
    """
    return x.view(np.float32) if x.dtype.itemsize == 4 and x.dtype != np.float32 else x


def padded_vector(
    vector: Array | None, channels: int, groups: int, padded: int, default: float = 0.0
) -> Array:
    """``float32[groups · padded]``: the channels of each group, followed by `default`.

    `vector` is ``[channels]`` or one number for all channels; None stands for `default`.
    """
    rows = np.full((groups, padded), default, np.float32)
    if vector is not None:
        flat = np.broadcast_to(vector.reshape(-1), channels)
        rows[:, : channels // groups] = flat.reshape(groups, -1)
    return rows.reshape(-1)
