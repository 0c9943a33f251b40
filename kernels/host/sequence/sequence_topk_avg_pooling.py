"""sequence_topk_avg_pooling on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.types import Lod
from lite.kernels.host.sequence.lod import need_lod, starts_and_lengths
from lite.plugin.kernel import Array, kernel


@kernel("sequence_topk_avg_pooling")
def sequence_topk_avg_pooling(
    X: Array,
    ROW: Array,
    *,
    topks: list[int],
    channel_num: int,
    lods: Mapping[str, Sequence[Lod]],
) -> tuple[tuple[Array, Array], dict[str, list[Lod]]]:
    """Paddle sequence_topk_avg_pooling op: of each row of each [channel, row, column] matrix in X, the
    sums of the k largest elements over k, for each k in `topks`.

    ROW and COLUMN give only LoD: the sizes of the matrices.  Returns [rows, channel * len(topks)] and the
    columns of the max(topks) largest, -1 where there are fewer.
    """
    op = "sequence_topk_avg_pooling"
    starts, sizes = starts_and_lengths(need_lod(op, "X", lods["X"][0])[0])
    row_lod = need_lod(op, "ROW", lods["ROW"][0])
    _, heights = starts_and_lengths(row_lod[0])
    _, widths = starts_and_lengths(need_lod(op, "COLUMN", lods["COLUMN"][0])[0])
    x = X.reshape(-1)
    divisors = np.array(topks, X.dtype)
    most = max(topks, default=0)
    averages = [np.empty((0, channel_num * len(topks)), X.dtype)]
    positions = [np.empty(0, np.int32)]
    for start, size, height, width in zip(starts, sizes, heights, widths, strict=True):
        matrix = x[start : start + size].reshape(channel_num, height, width).transpose(1, 0, 2)
        place = np.argsort(-matrix, axis=-1, kind="stable")[..., :most]
        top = np.zeros((height, channel_num, most), X.dtype)
        top[..., : place.shape[-1]] = np.take_along_axis(matrix, place, axis=-1)
        sums = np.cumsum(top, axis=-1)[..., np.array(topks, np.intp) - 1]
        averages.append((sums / divisors).reshape(height, -1))
        found = np.full(top.shape, -1, np.int32)
        found[..., : place.shape[-1]] = place
        positions.append(found.reshape(-1))
    lod: list[Lod] = [row_lod]
    return (np.concatenate(averages), np.concatenate(positions)), {"Out": lod, "pos": [()]}
