"""viterbi_decode on the host."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.decoding.viterbi import best_path
from lite.plugin.kernel import Array, kernel


@kernel("viterbi_decode")
def viterbi_decode(
    Input: Array, Transition: Array, Length: Array, *, include_bos_eos_tag: bool
) -> tuple[Array, Array]:
    """Paddle viterbi_decode op: scores and best tags of Input [B, S, tags].

    With `include_bos_eos_tag`, the last row of Transition [tags, tags] scores the first tag and the last
    but one row the last tag.  The path is as wide as the longest sequence.
    """
    tags = Input.shape[2]
    start, end = np.zeros(tags, Input.dtype), np.zeros(tags, Input.dtype)
    if include_bos_eos_tag:
        unlikely = np.full((tags, 1), -1e4, Input.dtype)
        unlikely[-1] = 0
        start, end = (unlikely + Transition).max(axis=0), Transition[-2]
    longest = int(Length.max(initial=0))
    return best_path(Input[:, :longest], Length, start, Transition, end)
