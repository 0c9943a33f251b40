"""Arrays as arguments of compiled functions."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array

NO_VECTOR: Array = np.zeros(0, np.float32)
"""The argument for a vector that the function does not read."""


def as_words(x: Array) -> Array:
    """The words of 4 bytes of an array, which compiled functions move as float32; those of 8 bytes are pairs.

    Bytes stay bytes.  An array that is not contiguous stays so: what launches has to know of a copy.
    """
    if x.dtype == np.float32 or x.dtype.itemsize == 1:
        return x
    return (x if x.dtype.itemsize == 4 else x[..., None]).view(np.float32)


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
