"""match_matrix_tensor on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import Lod
from lite.kernels.host.sequence.lod import need_lod, offsets_of
from lite.plugin.kernel import Array, kernel


@kernel("match_matrix_tensor")
def match_matrix_tensor(
    X: Array, Y: Array, W: Array, *, dim_t: int, lods: Mapping[str, Sequence[Lod]]
) -> tuple[tuple[Array, Array], dict[str, list[Lod]]]:
    """Paddle match_matrix_tensor op: x W[:, t] yᵀ for all rows x, y of a pair of sequences and each t.

    W is [width, dim_t, width].  Out [n, 1] holds [dim_t, rows of X, rows of Y] of each pair; its LoD are
    the offsets of the pairs, of X and of Y.
    """
    left = need_lod("match_matrix_tensor", "X", lods["X"][0])[0]
    right = need_lod("match_matrix_tensor", "Y", lods["Y"][0])[0]
    if len(left) != len(right):
        raise ExecutionError(
            f"match_matrix_tensor: Y: expected {len(left) - 1} sequences, as many as in X, "
            f"got {len(right) - 1}"
        )
    width = X.shape[1]
    projected = X @ W.reshape(width, -1)
    words = projected.reshape(len(X), dim_t, width).transpose(1, 0, 2)
    parts = [np.empty(0, X.dtype)]
    for pair in range(len(left) - 1):
        mine, theirs = words[:, left[pair] : left[pair + 1]], Y[right[pair] : right[pair + 1]]
        parts.append((mine @ theirs.T).reshape(-1))
    lod: Lod = (offsets_of(len(part) for part in parts[1:]), left, right)
    return (np.concatenate(parts)[:, None], projected), {"Out": [lod], "Tmp": [()]}
