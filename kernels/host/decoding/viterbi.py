"""Viterbi decoding: viterbi_decode and crf_decoding."""

from __future__ import annotations

import numpy as np

from lite.ir.types import NO_LOD
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.lod import Lods, need_lod, rows_of, starts_and_lengths


def best_path(
    emissions: Array, lengths: Array, start: Array, transition: Array, end: Array
) -> tuple[Array, Array]:
    """Scores ``[B]`` and paths ``int64[B, S]`` for emissions ``[B, S, tags]`` and `lengths` ``[B]``.

    `start` and `end` score the first and last tag, `transition` ``[from, to]`` each step.  Of equally good
    tags the first is taken.  After the end of a sequence the path is 0.  A. Viterbi, 1967.
    """
    batch, steps, _ = emissions.shape
    path = np.zeros((batch, steps), np.int64)
    if not steps:
        return start.max(initial=0) * np.ones(batch, emissions.dtype), path
    score = start + emissions[:, 0]
    came_from = np.zeros(emissions.shape, np.intp)
    for step in range(1, steps):
        routes = score[:, :, None] + transition
        came_from[:, step] = routes.argmax(axis=1)
        inside = (step < lengths)[:, None]
        score = np.where(inside, routes.max(axis=1) + emissions[:, step], score)
    score = score + end
    tag = score.argmax(axis=1)
    every = np.arange(batch)
    for step in reversed(range(steps)):
        inside = step < lengths
        path[inside, step] = tag[inside]
        tag = np.where(inside, came_from[every, step, tag], tag)
    return score.max(axis=1), path


@kernel("viterbi_decode")
def viterbi_decode(
    Input: Array, Transition: Array, Length: Array, *, include_bos_eos_tag: bool
) -> tuple[Array, Array]:
    """Paddle viterbi_decode: scores ``[B]`` and best tags ``int64[B, longest]`` of ``Input[B, S, tags]``.

    With `include_bos_eos_tag`, the last row of ``Transition[tags, tags]`` scores the first tag, and the row
    before it the last tag.
    """
    tags = Input.shape[2]
    start, end = np.zeros(tags, Input.dtype), np.zeros(tags, Input.dtype)
    if include_bos_eos_tag:
        unlikely = np.full((tags, 1), -1e4, Input.dtype)
        unlikely[-1] = 0
        start, end = (unlikely + Transition).max(axis=0), Transition[-2]
    longest = int(Length.max(initial=0))
    return best_path(Input[:, :longest], Length, start, Transition, end)


@kernel("crf_decoding")
def crf_decoding(
    Emission: Array,
    Transition: Array,
    Label: Array | None,
    Length: Array | None,
    *,
    lods: Lods,
) -> tuple[Array, Lods]:
    """Paddle crf_decoding: the best tags or, with a Label, 1 where they are equal to it.

    Emission is ``float[T, tags]`` with LoD, or ``[B, S, tags]`` with Length.  Transition ``[2 + tags, tags]``
    has the scores of the first tag, of the last one, and of each step.
    """
    start, end, transition = Transition[0], Transition[1], Transition[2:]
    if Length is not None:
        lengths = Length.reshape(-1)
        _, path = best_path(Emission, lengths, start, transition, end)
        if Label is not None:
            inside = np.arange(path.shape[1]) < lengths[:, None]
            path = ((path == Label.reshape(path.shape)) & inside).astype(np.int64)
        return path, {"ViterbiPath": [NO_LOD]}
    (lod,) = lods["Emission"]
    starts, lengths = starts_and_lengths(need_lod("crf_decoding", "Emission", lod, len(Emission))[0])
    rows = rows_of(starts, lengths)
    inside = np.arange(int(lengths.max(initial=0))) < lengths[:, None]
    padded = np.zeros((*inside.shape, Emission.shape[1]), Emission.dtype)
    padded[inside] = Emission[rows]
    _, path = best_path(padded, lengths, start, transition, end)
    out = np.zeros((len(Emission), 1), np.int64)
    out[rows, 0] = path[inside]
    if Label is not None:
        out = (out == Label.reshape(out.shape)).astype(np.int64)
    return out, {"ViterbiPath": [lod]}
