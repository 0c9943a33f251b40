"""box_clip on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.types import Lod
from lite.kernels.host.sequence.lod import in_rows, need_lod, rows_of, starts_and_lengths
from lite.plugin.kernel import Array, kernel


@kernel("box_clip")
def box_clip(
    Input: Array, ImInfo: Array, *, lods: Mapping[str, Sequence[Lod]]
) -> tuple[Array, dict[str, list[Lod]]]:
    """Paddle box_clip op: boxes within their image, whose size before scaling ImInfo [N, 3] gives as
    (height, width, scale); the LoD says which boxes belong to which image.
    """
    (lod,) = lods["Input"]
    starts, lengths = starts_and_lengths(in_rows(need_lod("box_clip", "Input", lod), 0))
    limits = np.floor(ImInfo[:, 1::-1] / ImInfo[:, 2:] + ImInfo.dtype.type(0.5)) - 1
    rows = rows_of(starts, lengths)
    highest = np.repeat(limits, lengths, axis=0).reshape(-1, *[1] * (Input.ndim - 2), 2)
    out = Input.copy()
    pairs = out[rows].reshape(len(rows), *Input.shape[1:-1], 2, 2)
    out[rows] = np.clip(pairs, 0, highest[..., None, :]).reshape(-1, *Input.shape[1:])
    return out, {"Output": [lod]}
