"""beam_search on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from lite.ir.types import Lod
from lite.kernels.host.sequence.lod import in_rows, need_lod, offsets_of
from lite.plugin.kernel import Array, kernel


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
    lods: Mapping[str, Sequence[Lod]],
) -> tuple[tuple[Array, Array, Array], dict[str, list[Lod]]]:
    """Paddle beam_search op: per source sequence the `beam_size` best continuations of its rows.

    Row r of scores [rows, K] continues the prefix that ends in pre_ids[r]; one that has ended continues
    with itself alone.  A source all of whose rows have ended is dropped.  Selected items stand by row,
    better ones first; of equal ones those of later rows are chosen.
    """
    lod = need_lod("beam_search", "scores", lods["scores"][0])
    sources = in_rows(lod, level)
    rows = sources[-1]
    before = pre_scores.reshape(-1)[:rows].astype(scores.dtype)
    values = scores.reshape(len(scores), -1)[:rows]
    width = values.shape[1]
    values = values.copy() if is_accumulated else before[:, None] + np.log(values)
    words = np.empty((rows, width), np.int64)
    words[...] = np.arange(width) if ids is None else ids.reshape(len(ids), width)[:rows]
    ended = pre_ids.reshape(-1)[:rows] == end_id
    possible = np.ones((rows, width), bool)
    possible[ended, 1:] = False
    words[ended, 0], values[ended, 0] = end_id, before[ended]
    row = np.repeat(np.arange(rows), width).reshape(rows, width)
    chosen = [np.empty(0, np.intp)]
    for start, end in pairwise(sources):
        of_source = np.flatnonzero(possible[start:end]) + start * width
        best = of_source[np.lexsort((-row.flat[of_source], -values.flat[of_source]))][:beam_size]
        if not (ended[row.flat[best]] & (words.flat[best] == end_id)).all():
            chosen.append(best[np.argsort(row.flat[best], kind="stable")])
    picked = np.concatenate(chosen)
    parents = row.flat[picked]
    found: Lod = (sources, offsets_of(np.bincount(parents, minlength=rows)))
    results = (words.flat[picked][:, None], values.flat[picked][:, None], parents.astype(np.int32))
    return results, {"selected_ids": [found], "selected_scores": [found], "parent_idx": [()]}
