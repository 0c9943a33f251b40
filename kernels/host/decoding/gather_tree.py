"""gather_tree on the host."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("gather_tree")
def gather_tree(Ids: Array, Parents: Array, *, out: Array | None = None) -> Array:
    """Full sequences out of beam search steps [T, B, beams]: each last item followed back by its parents."""
    out = np.empty(Ids.shape, Ids.dtype) if out is None else out
    beam = np.broadcast_to(np.arange(Ids.shape[2]), Ids.shape[1:])
    for step in reversed(range(len(Ids))):
        out[step] = np.take_along_axis(Ids[step], beam, axis=1)
        beam = np.take_along_axis(Parents[step], beam, axis=1)
    return out
