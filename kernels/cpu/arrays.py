"""Arrays as compiled functions take them."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array

NOTHING: Array = np.zeros(0, np.float32)
"""What stands for a vector that is not read."""


def padded_vector(vector: Array | None, channels: int, groups: int, room: int, default: float = 0.0) -> Array:
    """``[groups · room]``: each group's channels, with `default` behind them.

    `vector` has one number a channel, or one for all; None is `default` for all.
    """
    found = np.full((groups, room), default, np.float32)
    if vector is not None:
        flat = np.broadcast_to(vector.reshape(-1), channels)
        found[:, : channels // groups] = flat.reshape(groups, -1)
    return found.reshape(-1)
