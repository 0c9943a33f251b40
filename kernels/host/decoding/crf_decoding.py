"""crf_decoding on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.types import NO_LOD, Lod
from lite.kernels.host.decoding.viterbi import best_path
from lite.kernels.host.sequence.lod import need_lod, rows_of, starts_and_lengths
from lite.plugin.kernel import Array, kernel


@kernel("crf_decoding")
def crf_decoding(
    Emission: Array,
    Transition: Array,
    Label: Array | None,
    Length: Array | None,
    *,
    lods: Mapping[str, Sequence[Lod]],
) -> tuple[Array, dict[str, list[Lod]]]:
    """Paddle crf_decoding op: the best tags or, where there is a Label, 1 where they are the label's.

    Transition is [2 + tags, tags]: scores of the first tag, of the last one, and of each step.
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
    starts, lengths = starts_and_lengths(need_lod("crf_decoding", "Emission", lod)[0])
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
