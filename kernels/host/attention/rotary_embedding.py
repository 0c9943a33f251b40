"""rotary_embedding by numpy."""

from __future__ import annotations

from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array, kernel


@kernel("rotary_embedding")
def rotary_embedding(
    X: Array,
    CosCache: Array,
    SinCache: Array,
    PositionIds: Array | None,
    *,
    interleaved: bool,
    num_heads: int,
    rotary_embedding_dim: int,
) -> Array:
    """ONNX RotaryEmbedding: rotates pairs of elements of each head by the angle of their position.

    X is ``float[batch, heads, rows, size]`` or ``[batch, rows, heads·size]``.  The caches are ``[positions,
    pairs]``, or without PositionIds ``[batch, rows, pairs]``.  Only the first `rotary_embedding_dim` elements
    (0: all) rotate.  The elements of a pair are neighbours with `interleaved`, else one of each half.  J. Su
    et al., "RoFormer", 2021.
    """
    x = widened(X)
    x = x.transpose(0, 2, 1, 3) if X.ndim == 4 else x.reshape(*x.shape[:2], num_heads, -1)
    width = rotary_embedding_dim or x.shape[-1]
    cos, sin = (widened(cache) for cache in (CosCache, SinCache))
    if PositionIds is not None:
        cos, sin = cos[PositionIds], sin[PositionIds]
    cos, sin = cos[:, :, None], sin[:, :, None]
    result = x.copy()
    first, second = (
        (slice(0, width, 2), slice(1, width, 2))
        if interleaved
        else (slice(0, width // 2), slice(width // 2, width))
    )
    result[..., first] = cos * x[..., first] - sin * x[..., second]
    result[..., second] = sin * x[..., first] + cos * x[..., second]
    result = result.transpose(0, 2, 1, 3) if X.ndim == 4 else result.reshape(X.shape)
    return result.astype(X.dtype)
