"""Matrices of word matches in sequences: match_matrix_tensor, sequence_topk_avg_pooling, var_conv_2d."""

from __future__ import annotations

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import Lod
from lite.kernels.host.padded import padded, patches
from lite.ops.window import Window
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.lod import (
    Lods,
    need_counts,
    need_lod,
    offsets_of,
    starts_and_lengths,
)


@kernel("match_matrix_tensor")
def match_matrix_tensor(
    X: Array, Y: Array, W: Array, *, dim_t: int, lods: Lods
) -> tuple[tuple[Array, Array], Lods]:
    """Paddle match_matrix_tensor: ``x · W[:, t] · yᵀ`` for all rows x, y of a pair of sequences and each t.

    X and Y are ``float[rows, width]``, W is ``[width, dim_t, width]``.  Out ``[n, 1]`` holds ``[dim_t, rows
    of X, rows of Y]`` for each pair; its LoD has the offsets of the pairs, of X and of Y.
    """
    left = need_lod("match_matrix_tensor", "X", lods["X"][0], len(X))[0]
    right = need_lod("match_matrix_tensor", "Y", lods["Y"][0], len(Y))[0]
    if len(left) != len(right):
        raise ExecutionError(
            f"match_matrix_tensor: Y: expected {len(left) - 1} sequences, as many as in X, "
            f"got {len(right) - 1}"
        )
    width = X.shape[1]
    projected = X @ W.reshape(width, -1)
    by_channel = projected.reshape(len(X), dim_t, width).transpose(1, 0, 2)
    parts = [np.empty(0, X.dtype)]
    for pair in range(len(left) - 1):
        x, y = by_channel[:, left[pair] : left[pair + 1]], Y[right[pair] : right[pair + 1]]
        parts.append((x @ y.T).reshape(-1))
    lod: Lod = (offsets_of(len(part) for part in parts[1:]), left, right)
    return (np.concatenate(parts)[:, None], projected), {"Out": [lod], "Tmp": [()]}


@kernel("sequence_topk_avg_pooling")
def sequence_topk_avg_pooling(
    X: Array,
    ROW: Array,
    *,
    topks: list[int],
    channel_num: int,
    lods: Lods,
) -> tuple[tuple[Array, Array], Lods]:
    """Paddle sequence_topk_avg_pooling: means of the k largest elements of each row, for each k in `topks`.

    The sequences of X hold matrices ``[channel, row, column]``, whose sizes are the lengths of the sequences
    of ROW and COLUMN.  Returns ``[rows, channel·len(topks)]``, and the columns of the max(topks) largest
    elements, -1 where there are fewer; missing elements count as 0.
    """
    op = "sequence_topk_avg_pooling"
    starts, sizes = starts_and_lengths(need_counts(op, "X", lods["X"][0])[0])
    row_lod = need_lod(op, "ROW", lods["ROW"][0], len(ROW))
    _, heights = starts_and_lengths(row_lod[0])
    _, widths = starts_and_lengths(need_counts(op, "COLUMN", lods["COLUMN"][0])[0])
    x = X.reshape(-1)
    divisors = np.array(topks, X.dtype)
    most = max(topks, default=0)
    averages = [np.empty((0, channel_num * len(topks)), X.dtype)]
    positions = [np.empty(0, np.int32)]
    for start, size, height, width in zip(starts, sizes, heights, widths, strict=True):
        matrix = x[start : start + size].reshape(channel_num, height, width).transpose(1, 0, 2)
        order = np.argsort(-matrix, axis=-1, kind="stable")[..., :most]
        top = np.zeros((height, channel_num, most), X.dtype)
        top[..., : order.shape[-1]] = np.take_along_axis(matrix, order, axis=-1)
        sums = np.cumsum(top, axis=-1)[..., np.array(topks, np.intp) - 1]
        averages.append((sums / divisors).reshape(height, -1))
        columns = np.full(top.shape, -1, np.int32)
        columns[..., : order.shape[-1]] = order
        positions.append(columns.reshape(-1))
    lod: list[Lod] = [row_lod]
    return (np.concatenate(averages), np.concatenate(positions)), {"Out": lod, "pos": [()]}


@kernel("var_conv_2d")
def var_conv_2d(
    X: Array,
    ROW: Array,
    COLUMN: Array,
    W: Array,
    *,
    InputChannel: int,
    KernelH: int,
    KernelW: int,
    StrideH: int,
    StrideW: int,
    lods: Lods,
) -> tuple[tuple[Array, Array], Lods]:
    """Paddle var_conv_2d: convolves each sequence of X, an image ``[C, h, w]`` padded by half the kernel.

    h and w are the lengths of the sequences of ROW and COLUMN, W is ``[O, C·kh·kw]``.  Both outputs are
    sequences of single elements: Out has the images ``[O, Ho, Wo]``, Col the columns that are multiplied
    with W.
    """
    starts, _ = starts_and_lengths(need_counts("var_conv_2d", "X", lods["X"][0])[0])
    _, heights = starts_and_lengths(need_counts("var_conv_2d", "ROW", lods["ROW"][0])[0])
    _, widths = starts_and_lengths(need_counts("var_conv_2d", "COLUMN", lods["COLUMN"][0])[0])
    pixels = X.reshape(-1)
    windows = [Window(k, s, 1, k // 2, 0) for k, s in ((KernelH, StrideH), (KernelW, StrideW))]
    columns = [np.empty((W.shape[1], 0), X.dtype)]
    for start, height, width in zip(starts, heights, widths, strict=True):
        image = pixels[start : start + InputChannel * height * width].reshape(InputChannel, height, width)
        outs = [-(-int(size) // w.stride) for w, size in zip(windows, (height, width), strict=True)]
        if image.size:
            columns.append(patches(padded(image, windows, outs), windows, outs).reshape(W.shape[1], -1))
        else:
            columns.append(columns[0])
    sums = [np.matmul(W, column) for column in columns]
    results = [np.concatenate([part.reshape(-1) for part in parts])[:, None] for parts in (sums, columns)]
    levels = [offsets_of(part.size for part in parts[1:]) for parts in (sums, columns)]
    return (results[0], results[1]), {"Out": [(levels[0],)], "Col": [(levels[1],)]}
