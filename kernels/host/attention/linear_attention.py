"""linear_attention and causal_conv by numpy."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.activation.gate import logistic
from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array, kernel


@kernel("linear_attention")
def linear_attention(
    Q: Array,
    K: Array,
    V: Array,
    PastState: Array | None,
    Decay: Array | None,
    Beta: Array | None,
    *,
    q_num_heads: int,
    kv_num_heads: int,
    scale: float,
    update_rule: str,
) -> tuple[Array, Array]:
    """ONNX LinearAttention: at each step adds ``k · vᵀ`` to a matrix per head, which is multiplied with q.

    Q, K and V are ``float[batch, steps, heads·size]``.  Gated rules first multiply the matrix by
    ``exp(Decay)``; delta rules replace v by ``Beta · (v − matrixᵀ·k)``.  A `scale` of 0 is
    ``1 / sqrt(size)``.
    """
    batch, steps, _ = Q.shape
    q, k, v = (
        x.astype(np.float32).reshape(batch, steps, heads, -1)
        for x, heads in ((Q, q_num_heads), (K, kv_num_heads), (V, kv_num_heads))
    )
    size, width = q.shape[-1], v.shape[-1]
    state = np.zeros((batch, kv_num_heads, size, width), np.float32)
    if PastState is not None:
        state += PastState
    factor = np.float32(scale or 1 / np.sqrt(size))
    out = np.empty((batch, steps, q_num_heads, width), np.float32)
    for step in range(steps):
        key, value = k[:, step], v[:, step]
        if update_rule.startswith("gated") and Decay is not None:
            decay = np.exp(Decay[:, step].astype(np.float32).reshape(batch, kv_num_heads, -1))
            state = state * decay[..., None]
        if update_rule.endswith("delta") and Beta is not None:
            predicted = np.matmul(key[:, :, None], state)[:, :, 0]
            value = Beta[:, step].astype(np.float32).reshape(batch, -1, 1) * (value - predicted)
        state = state + key[..., None] * value[..., None, :]
        read = np.repeat(state, q_num_heads // kv_num_heads, axis=1)
        out[:, step] = factor * np.matmul(q[:, step, :, None], read)[:, :, 0]
    kept = Q.dtype if PastState is None else PastState.dtype
    return out.reshape(batch, steps, -1).astype(Q.dtype), state.astype(kept)


@kernel("causal_conv")
def causal_conv(
    X: Array, Filter: Array, Bias: Array | None, PastState: Array | None, *, activation: str
) -> tuple[Array, Array]:
    """ONNX CausalConvWithState: convolves each channel of ``X[N, C, L]`` with a filter of ``[C, 1, k]``.

    ``PastState[N, C, k − 1]``, or zeros, precede the first element.  The second output is the PastState of
    the next call.
    """
    taps = Filter.shape[2]
    before = np.zeros((*X.shape[:2], taps - 1), X.dtype) if PastState is None else PastState
    whole = np.concatenate((before, X), axis=2)
    x, weight = widened(whole), widened(Filter)
    sums = np.zeros(X.shape, x.dtype)
    for tap in range(taps):
        sums += x[:, :, tap : tap + X.shape[2]] * weight[:, 0, tap, None]
    if Bias is not None:
        sums += widened(Bias)[:, None]
    if activation != "none":
        sums = sums.astype(X.dtype).astype(x.dtype)
        sums = sums * logistic(sums.copy())
    return sums.astype(X.dtype), whole[:, :, whole.shape[2] - taps + 1 :].copy()
