"""ctc_align by numpy."""

from __future__ import annotations

import numpy as np

from lite.ir.types import NO_LOD, Lod
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.lod import Lods, need_lod, offsets_of, starts_and_lengths


@kernel("ctc_align")
def ctc_align(
    Input: Array,
    InputLength: Array | None,
    *,
    blank: int,
    merge_repeated: bool,
    padding_value: int,
    lods: Lods,
) -> tuple[tuple[Array, Array | None], Lods]:
    """Paddle ctc_align: sequences without blanks and, with `merge_repeated`, without repeated tokens.

    ``Input[T, 1]`` with LoD gives ``[n, 1]`` with LoD, and a single -1 for an empty result.  ``[B, S]`` with
    InputLength keeps its shape, padded with `padding_value`, and gives the new lengths ``[B, 1]``.  A. Graves
    et al., "Connectionist Temporal Classification", 2006.
    """
    if InputLength is not None:
        keep = (Input != blank) & (np.arange(Input.shape[1]) < InputLength.reshape(-1, 1))
        if merge_repeated:
            keep[:, 1:] &= Input[:, 1:] != Input[:, :-1]
        order = np.argsort(~keep, axis=1, kind="stable")
        lengths = keep.sum(axis=1, keepdims=True)
        filled = np.arange(Input.shape[1]) < lengths
        out = np.where(filled, np.take_along_axis(Input, order, axis=1), Input.dtype.type(padding_value))
        return (out, lengths.astype(Input.dtype)), {"Output": [NO_LOD], "OutputLength": [NO_LOD]}
    level = need_lod("ctc_align", "Input", lods["Input"][0], len(Input))[0]
    tokens = Input.reshape(-1)
    keep = tokens != blank
    if merge_repeated:
        same = np.zeros(len(tokens), bool)
        same[1:] = tokens[1:] == tokens[:-1]
        starts, lengths = starts_and_lengths(level)
        same[starts[lengths > 0]] = False
        keep &= ~same
    before = np.concatenate(([0], np.cumsum(keep)))
    lod: Lod = (offsets_of(np.diff(before[np.array(level, np.intp)])),)
    kept = tokens[keep] if keep.any() else np.full(1, -1, Input.dtype)
    return (kept[:, None], None), {"Output": [lod], "OutputLength": [NO_LOD]}
