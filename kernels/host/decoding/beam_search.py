"""Beam search: beam_search, beam_search_decode and gather_tree."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import Lod
from lite.ops.array_lod import element_lods
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.lod import Lods, in_rows, need_lod, offsets_of


@kernel("beam_search")
def beam_search(
    pre_ids: Array,
    pre_scores: Array,
    ids: Array | None,
    scores: Array,
    *,
    level: int,
    beam_size: int,
    end_id: int,
    is_accumulated: bool,
    lods: Lods,
) -> tuple[tuple[Array, Array, Array], Lods]:
    """Paddle beam_search: the `beam_size` best continuations of the prefixes of each source sequence.

    Row r of ``scores float[rows, K]`` has the continuations of the prefix that ends in pre_ids[r].  A prefix
    that has ended has a single one, end_id.  A source whose prefixes have all ended is dropped.  Selected
    items are in order of rows, better ones first; of equal ones, items of later rows are selected.
    """
    lod = need_lod("beam_search", "scores", lods["scores"][0], len(scores))
    sources = in_rows(lod, level)
    rows = sources[-1]
    before = pre_scores.reshape(-1)[:rows].astype(scores.dtype)
    values = scores.reshape(len(scores), -1)[:rows]
    width = values.shape[1]
    values = values.copy() if is_accumulated else before[:, None] + np.log(values)
    tokens = np.empty((rows, width), np.int64)
    tokens[...] = np.arange(width) if ids is None else ids.reshape(len(ids), width)[:rows]
    ended = pre_ids.reshape(-1)[:rows] == end_id
    possible = np.ones((rows, width), bool)
    possible[ended, 1:] = False
    tokens[ended, 0], values[ended, 0] = end_id, before[ended]
    row = np.repeat(np.arange(rows), width).reshape(rows, width)
    chosen = [np.empty(0, np.intp)]
    for start, end in pairwise(sources):
        of_source = np.flatnonzero(possible[start:end]) + start * width
        best = of_source[np.lexsort((-row.flat[of_source], -values.flat[of_source]))][:beam_size]
        if not (ended[row.flat[best]] & (tokens.flat[best] == end_id)).all():
            chosen.append(best[np.argsort(row.flat[best], kind="stable")])
    picked = np.concatenate(chosen)
    parents = row.flat[picked]
    lod_out: Lod = (sources, offsets_of(np.bincount(parents, minlength=rows)))
    results = (tokens.flat[picked][:, None], values.flat[picked][:, None], parents.astype(np.int32))
    return results, {"selected_ids": [lod_out], "selected_scores": [lod_out], "parent_idx": [()]}


_Sentence = list[tuple[int, float]]
"""Tokens with their scores, the last token first."""


@kernel("beam_search_decode")
def beam_search_decode(
    Ids: list[Array], Scores: list[Array], *, end_id: int, lods: Lods
) -> tuple[tuple[Array, Array], Lods]:
    """Paddle beam_search_decode: the sentences of each source from the steps of a beam search, best first.

    Ids and Scores have a tensor for each step, as beam_search returns them.  The levels of the results' LoD
    are sources and sentences.
    """
    levels = element_lods(lods["Ids"][0], len(Ids))
    if not Ids or any(len(lod) != 2 for lod in levels):
        raise ExecutionError(
            f"beam_search_decode: Ids: expected a two-level LoD on each of {len(Ids)} steps, "
            f"got {list(levels)}"
        )
    for lod, ids in zip(levels, Ids, strict=True):
        need_lod("beam_search_decode", "Ids", lod, ids.size)
    sources: list[list[_Sentence]] = []
    for source in range(len(levels[0][0]) - 1):
        sentences = _backtrace(Ids, Scores, levels, source, end_id)
        sources.append(sorted(sentences, key=lambda sentence: -sentence[0][1]))
    flat = [item for sentences in sources for sentence in sentences for item in reversed(sentence)]
    out_lod: Lod = (
        offsets_of(len(sentences) for sentences in sources),
        offsets_of(len(sentence) for sentences in sources for sentence in sentences),
    )
    tokens = np.array([token for token, _ in flat], np.int64)
    values = np.array([value for _, value in flat], Scores[0].dtype)
    return (tokens, values), {"SentenceIds": [out_lod], "SentenceScores": [out_lod]}


def _backtrace(
    ids: list[Array], scores: list[Array], levels: Sequence[Lod], source: int, end_id: int
) -> list[_Sentence]:
    """The sentences of one source, from the last step at which it has items back to the first."""
    sentences: list[_Sentence] = []
    places: list[int] = []
    for step in reversed(range(len(ids))):
        prefixes, items = levels[step]
        tokens, values = ids[step].reshape(-1), scores[step].reshape(-1)
        if not places:
            start, end = prefixes[source], prefixes[source + 1]
            places = list(range(items[start], items[end]))
            sentences = [[(int(tokens[place]), float(values[place]))] for place in places]
        else:
            for sentence, place in zip(sentences, places, strict=True):
                if tokens[place] != end_id:
                    sentence.append((int(tokens[place]), float(values[place])))
        places = [bisect_right(items, place) - 1 for place in places]
    return sentences


@kernel("gather_tree")
def gather_tree(Ids: Array, Parents: Array, *, out: Array | None = None) -> Array:
    """Paddle gather_tree: full sequences ``int[T, B, beams]``, traced from the last items through Parents."""
    out = np.empty(Ids.shape, Ids.dtype) if out is None else out
    beam = np.broadcast_to(np.arange(Ids.shape[2]), Ids.shape[1:])
    for step in reversed(range(len(Ids))):
        out[step] = np.take_along_axis(Ids[step], beam, axis=1)
        beam = np.take_along_axis(Parents[step], beam, axis=1)
    return out
