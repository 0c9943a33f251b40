"""beam_search_decode on the host."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import Lod
from lite.kernels.host.sequence.lod import offsets_of
from lite.ops.array_lod import element_lods
from lite.plugin.kernel import Array, kernel

_Sentence = list[tuple[int, float]]
"""Words with their scores, last word first."""


@kernel("beam_search_decode")
def beam_search_decode(
    Ids: list[Array], Scores: list[Array], *, end_id: int, lods: Mapping[str, Sequence[Lod]]
) -> tuple[tuple[Array, Array], dict[str, list[Lod]]]:
    """Paddle beam_search_decode op: the sentences that the steps of a beam search spell, best first.

    Ids and Scores hold one tensor per step, as beam_search selects them.  The results' LoD cuts
    sources, then sentences.
    """
    levels = element_lods(lods["Ids"][0], len(Ids))
    if not Ids or any(len(lod) != 2 for lod in levels):
        raise ExecutionError(
            f"beam_search_decode: Ids: expected a two-level LoD on each of {len(Ids)} steps, "
            f"got {list(levels)}"
        )
    sources: list[list[_Sentence]] = []
    for source in range(len(levels[0][0]) - 1):
        sentences = _backtrace(Ids, Scores, levels, source, end_id)
        sources.append(sorted(sentences, key=lambda sentence: -sentence[0][1]))
    flat = [item for sentences in sources for sentence in sentences for item in reversed(sentence)]
    lod: Lod = (
        offsets_of(len(sentences) for sentences in sources),
        offsets_of(len(sentence) for sentences in sources for sentence in sentences),
    )
    words = np.array([word for word, _ in flat], np.int64)
    values = np.array([value for _, value in flat], Scores[0].dtype)
    return (words, values), {"SentenceIds": [lod], "SentenceScores": [lod]}


def _backtrace(
    ids: list[Array], scores: list[Array], levels: Sequence[Lod], source: int, end_id: int
) -> list[_Sentence]:
    """The sentences of one source, from the last step at which it had items back to the first."""
    sentences: list[_Sentence] = []
    places: list[int] = []
    for step in reversed(range(len(ids))):
        prefixes, items = levels[step]
        words, values = ids[step].reshape(-1), scores[step].reshape(-1)
        if not places:
            start, end = prefixes[source], prefixes[source + 1]
            places = list(range(items[start], items[end]))
            sentences = [[(int(words[place]), float(values[place]))] for place in places]
        else:
            for sentence, place in zip(sentences, places, strict=True):
                if words[place] != end_id:
                    sentence.append((int(words[place]), float(values[place])))
        places = [bisect_right(items, place) - 1 for place in places]
    return sentences
