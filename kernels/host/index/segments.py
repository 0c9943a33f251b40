"""Reductions of segments of rows, and messages along the edges of graphs, by numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, kernel

_MESSAGES: dict[str, Callable[[Array, Array], Array]] = {
    "ADD": np.add,
    "MUL": np.multiply,
    "SUB": np.subtract,
    "DIV": np.divide,
}


def _reduced(rows: Array, places: Array, count: int, how: str) -> tuple[Array, Array]:
    """Rows with the same place reduced, zeros for places without rows; and the number of rows of each."""
    counts = np.bincount(places, minlength=count)[:count]
    if how in ("SUM", "MEAN"):
        result = np.zeros((count, *rows.shape[1:]), rows.dtype)
        np.add.at(result, places, rows)
        if how == "MEAN":
            result = result / np.maximum(counts, 1).reshape(-1, *[1] * (rows.ndim - 1)).astype(rows.dtype)
        return result.astype(rows.dtype, copy=False), counts
    best, limits = (np.maximum, -1) if how == "MAX" else (np.minimum, 1)
    start = (
        limits * np.inf
        if rows.dtype.kind not in "iu"
        else getattr(np.iinfo(rows.dtype), "max" if limits > 0 else "min")
    )
    result = np.full((count, *rows.shape[1:]), start, rows.dtype)
    best.at(result, places, rows)
    result[counts == 0] = 0
    return result, counts


@kernel("segment_pool")
def segment_pool(X: Array, SegmentIds: Array, *, pooltype: str) -> tuple[Array, Array]:
    """Paddle segment_pool: rows with the same id, which ascend, reduced; and the rows' number for each id."""
    count = int(SegmentIds[-1]) + 1 if len(SegmentIds) else 0
    result, counts = _reduced(X, SegmentIds, count, pooltype)
    return result, counts.astype(X.dtype).reshape(-1, 1)


@kernel("graph_send_recv")
def graph_send_recv(
    X: Array,
    Src_index: Array,
    Dst_index: Array,
    Out_size: Array | None,
    *,
    reduce_op: str,
    out_size: Sequence[int],
) -> tuple[Array, Array]:
    """Paddle graph_send_recv: ``X[Src_index]`` reduced at Dst_index; and the number of edges that arrive."""
    result, counts = _reduced(X[Src_index], Dst_index, _rows(X, Out_size, out_size), reduce_op)
    return result, counts.astype(np.int32)


@kernel("graph_send_ue_recv")
def graph_send_ue_recv(
    X: Array,
    Y: Array,
    Src_index: Array,
    Dst_index: Array,
    Out_size: Array | None,
    *,
    message_op: str,
    reduce_op: str,
    out_size: Sequence[int],
) -> tuple[Array, Array]:
    """Paddle graph_send_ue_recv: like graph_send_recv, with the edges' rows Y added to (…) the messages."""
    messages = _combined(X[Src_index], Y, message_op)
    result, counts = _reduced(messages, Dst_index, _rows(X, Out_size, out_size), reduce_op)
    return result, counts.astype(np.int32)


@kernel("graph_send_uv")
def graph_send_uv(x: Array, y: Array, src_index: Array, dst_index: Array, *, message_op: str) -> Array:
    """Paddle graph_send_uv: ``x[src_index]`` added to (…) ``y[dst_index]``."""
    return _combined(x[src_index], y[dst_index], message_op)


def _combined(x: Array, y: Array, message_op: str) -> Array:
    rank = max(x.ndim, y.ndim)
    x, y = (part.reshape(len(part), *[1] * (rank - part.ndim), *part.shape[1:]) for part in (x, y))
    return np.asarray(_MESSAGES[message_op](x, y)).astype(x.dtype, copy=False)


def _rows(x: Array, tensor: Array | None, sizes: Sequence[int]) -> int:
    numbers = integers(sizes, tensor)
    return numbers[0] if numbers and numbers[0] > 0 else len(x)
