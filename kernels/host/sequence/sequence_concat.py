"""sequence_concat on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import Lod
from lite.kernels.host.sequence.lod import need_lod, offsets_of, rows_of, starts_and_lengths
from lite.plugin.kernel import Array, kernel


@kernel("sequence_concat")
def sequence_concat(
    X: list[Array], *, lods: Mapping[str, Sequence[Lod]]
) -> tuple[Array, dict[str, list[Lod]]]:
    """The first sequences of all inputs one behind the other, then the second ones, and so on."""
    levels = [need_lod("sequence_concat", "X", lod)[0] for lod in lods["X"]]
    if len({len(level) for level in levels}) > 1:
        counts = [len(level) - 1 for level in levels]
        raise ExecutionError(f"sequence_concat: X: expected as many sequences in every input, got {counts}")
    rows = np.concatenate(X)
    bases = np.cumsum([0, *(len(x) for x in X[:-1])])
    parts = [starts_and_lengths(level) for level in levels]
    starts = np.stack([start + base for (start, _), base in zip(parts, bases, strict=True)], axis=1)
    lengths = np.stack([length for _, length in parts], axis=1)
    out = rows[rows_of(starts.reshape(-1), lengths.reshape(-1))]
    return out, {"Out": [(offsets_of(lengths.sum(axis=1)),)]}
