"""Arrays as arguments of compiled functions."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array

NO_VECTOR: Array = np.zeros(0, np.float32)
"""The argument for a vector that the function does not read."""


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
