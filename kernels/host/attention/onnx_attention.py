"""attention by numpy."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array, kernel

_CAPPED, _BIASED, _PROBABILITIES = 1, 2, 3
"""Values of `qk_matmul_output_mode`: capped scores, with the mask, or after softmax; 0: the products."""


@kernel("attention")
def attention(
    Q: Array,
    K: Array,
    V: Array,
    Mask: Array | None,
    PastKey: Array | None,
    PastValue: Array | None,
    KeyLengths: Array | None,
    Sink: Array | None = None,
    *,
    is_causal: bool,
    q_num_heads: int,
    kv_num_heads: int,
    scale: float,
    softcap: float,
    qk_matmul_output_mode: int,
    left_window_size: int,
    right_window_size: int,
    causal_lower_right: bool = False,
) -> tuple[Array, Array, Array, Array]:
    """ONNX Attention: ``softmax(softcap(scale · Q · Kᵀ) + mask) · V``; K and V are appended to past ones.

    Inputs are ``float[batch, heads, rows, size]`` or ``[batch, rows, heads·size]``.  Several heads of Q may
    share one of K and V.  A row whose keys are all masked gives zeros.  A `scale` of 0 is ``1 / sqrt(size)``.
    Queries are the positions after the past ones, or the last positions before KeyLengths, or with
    `causal_lower_right` those of the last keys.  Sink has for each head of Q the score of one more key, whose
    value is zero.
    """
    q, k, v = _by_head(Q, q_num_heads), _by_head(K, kv_num_heads), _by_head(V, kv_num_heads)
    keys, values = _grown(PastKey, k), _grown(PastValue, v)
    first = _first_position(q, keys, KeyLengths, PastKey, causal_lower_right)
    right = 0 if is_causal else right_window_size
    allowed = _allowed(q.shape[2], keys.shape[2], KeyLengths, first, left_window_size, right)
    bias = _bias(Q, keys.shape[2], Mask, allowed)
    # Heads that share keys are a further axis, so that keys and values are not repeated.
    groups = (*q.shape[:1], keys.shape[1], -1, *q.shape[2:])
    factor = scale or 1 / np.sqrt(q.shape[-1])
    scores = _products((widened(q) * np.float32(factor)).reshape(groups), widened(keys).swapaxes(2, 3))
    scores = scores.reshape(*q.shape[:3], -1)
    shown = scores
    if softcap > 0:
        scores = np.tanh(scores / softcap) * np.float32(softcap)
    if qk_matmul_output_mode == _CAPPED:
        shown = scores
    scores = scores if bias is None else scores + bias
    if qk_matmul_output_mode == _BIASED:
        shown = scores
    sink = None if Sink is None else widened(Sink).reshape(-1, 1, 1)
    empty = None if bias is None else np.isneginf(bias.max(axis=-1, keepdims=True))
    probabilities = _softmax(scores, empty if empty is not None and empty.any() else None, sink)
    if qk_matmul_output_mode == _PROBABILITIES:
        shown = probabilities
    # A mask may have more samples than the products.
    lead = probabilities.shape[:2]
    shares = probabilities.reshape(lead[0], keys.shape[1], -1, *probabilities.shape[2:])
    result = _products(shares, widened(values)).reshape(*lead, probabilities.shape[2], -1)
    if Q.ndim == 3:
        result = result.transpose(0, 2, 1, 3).reshape(*Q.shape[:2], -1)
    shown = np.broadcast_to(shown, probabilities.shape)
    return result.astype(Q.dtype), keys, values, shown.astype(Q.dtype, copy=shown.base is not None)


def _grown(past: Array | None, new: Array) -> Array:
    """New rows after those from before, in memory of their own."""
    return np.array(new) if past is None else np.concatenate((past, new), axis=2)


def _products(x: Array, y: Array) -> Array:
    """The products of ``[samples, heads, shared, rows, inner]`` with ``[samples, heads, inner, columns]``."""
    rows = x.reshape(*x.shape[:2], x.shape[2] * x.shape[3], x.shape[4])
    result: Array = np.matmul(rows, y)
    return result.reshape(*result.shape[:2], *x.shape[2:4], y.shape[3])


def _by_head(x: Array, heads: int) -> Array:
    if x.ndim == 4:
        return x
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def _first_position(
    q: Array, keys: Array, lengths: Array | None, past: Array | None, is_lower_right: bool
) -> Array | int:
    """The position among the keys of the first query, for all samples or ``[batch, 1, 1, 1]``."""
    rows = q.shape[2]
    if is_lower_right:
        return int(keys.shape[2] - rows)
    if past is not None:
        return int(past.shape[2])
    return 0 if lengths is None else lengths.reshape(-1, 1, 1, 1).astype(np.int64) - rows


def _allowed(
    rows: int, columns: int, lengths: Array | None, first: Array | int, left: int, right: int
) -> Array:
    """Which keys each query may see: bool that broadcasts to ``[batch, heads, rows, columns]``."""
    ahead = np.arange(columns) - (np.arange(rows)[:, None] + np.reshape(first, (-1, 1, 1, 1)))
    allowed = np.ones_like(ahead, bool)
    if left >= 0:
        allowed &= -ahead <= left
    if right >= 0:
        allowed &= ahead <= right
    return allowed if lengths is None else allowed & (np.arange(columns) < lengths.reshape(-1, 1, 1, 1))


def _bias(Q: Array, columns: int, mask: Array | None, allowed: Array) -> Array | None:
    """The sum of all masks, to add to the scores: numbers of a float mask, or −∞; None where all is 0."""
    dtype = widened(Q[:0]).dtype
    added = None
    if mask is not None:
        added = np.where(mask, 0, -np.inf).astype(dtype) if mask.dtype == np.bool_ else widened(mask)
        missing = columns - added.shape[-1]
        if missing > 0:
            sides = [(0, 0)] * (added.ndim - 1) + [(0, missing)]
            added = np.pad(added, sides, constant_values=-np.inf)
    if allowed.all():
        return added
    return np.where(allowed, dtype.type(0) if added is None else added, dtype.type(-np.inf))


def _softmax(scores: Array, empty: Array | None, sink: Array | None) -> Array:
    """The softmax of each row; zeros in `empty` rows, or where all is −∞."""
    highest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    if empty is not None:
        highest = np.where(empty, 0, highest)
    if sink is not None:
        highest = np.maximum(highest, sink)
    with np.errstate(over="ignore", invalid="ignore"):
        powers = np.subtract(scores, highest)
        np.exp(powers, out=powers)
        if empty is not None:
            powers = np.where(empty, 0, powers)
        total = powers.sum(axis=-1, keepdims=True)
        if sink is not None:
            total = total + np.exp(sink - highest)
        shares: Array = powers / np.where(total == 0, 1, total)
    return shares
