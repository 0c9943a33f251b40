"""fused_attention and fused_qkv_attention by numpy.

A. Vaswani et al., "Attention Is All You Need", 2017.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.host.buffering import small_buffers
from lite.kernels.host.compute_dtype import compute_dtype, widened
from lite.kernels.host.workspace import cut, elements
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel, write


@kernel("fused_attention")
def fused_attention(
    Q: Array,
    K: Array,
    V: Array,
    Mask: Array | None = None,
    *,
    scale: float = 1.0,
    head_number: int = 0,
    nan_as_zero: bool = False,
    out: Array | None = None,
) -> Array:
    """litebridge's fused_attention: softmax(scale · Q · Kᵀ + Mask) · V over the last two axes.

    With `head_number`, Q, K, V and the result are ``float[batch, rows, heads·size]``.  With `nan_as_zero`,
    rows of the softmax that are NaN are 0.
    """
    if not head_number:
        return attend(Q, K, V, Mask, scale, out, nan_as_zero=nan_as_zero)
    q, k, v = (_per_head(x, head_number) for x in (Q, K, V))
    return _joined(q, k, v, Mask, scale, out, nan_as_zero=nan_as_zero)


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    x, heads, scale = ctx.inputs["QKV"][0], ctx.attrs.integer("head_number"), ctx.attrs.real("scale")
    if compute_dtype(x.dtype.numpy) != x.dtype.numpy or ctx.attrs.flag("nan_as_zero"):
        return None
    batch, rows, columns = x.sizes
    if not rows:
        return None
    workspace = ctx.scratch(
        (attend_workspace((batch, heads, rows, columns // 3 // heads), rows),), x.dtype.numpy
    )

    def run(QKV: Array, Mask: Array | None = None, *, out: Array | None = None) -> Array:
        q, k, v = (_per_head(part, heads) for part in np.split(QKV, 3, axis=2))
        return _joined(q, k, v, Mask, scale, out, workspace.array)

    return run


@kernel("fused_qkv_attention", prepare=_prepare)
def fused_qkv_attention(
    QKV: Array,
    Mask: Array | None = None,
    *,
    scale: float = 1.0,
    head_number: int = 1,
    nan_as_zero: bool = False,
    out: Array | None = None,
) -> Array:
    """litebridge's fused_qkv_attention: fused_attention of ``QKV[batch, rows, 3·heads·size]``."""
    q, k, v = (_per_head(part, head_number) for part in np.split(QKV, 3, axis=2))
    return _joined(q, k, v, Mask, scale, out, nan_as_zero=nan_as_zero)


def attend_workspace(q: Sequence[int], columns: int) -> int:
    """The size of the workspace of `attend` for a `q` of this shape and `columns` rows of `k`."""
    return elements(*_shapes(q, columns))


def _shapes(q: Sequence[int], columns: int) -> list[tuple[int, ...]]:
    """The shapes of the scaled q, the scores, a number for each row of these, and a vector of ones."""
    lead = tuple(q[:-1])
    return [tuple(q), (*lead, columns), (*lead, 1), (columns, 1)]


def attend(
    q: Array,
    k: Array,
    v: Array,
    mask: Array | None,
    scale: float,
    out: Array | None = None,
    workspace: Array | None = None,
    *,
    nan_as_zero: bool = False,
) -> Array:
    """softmax(scale · q · kᵀ + mask) · v over the last two axes; the others broadcast.

    Rows are divided by the totals of their weights after the second product, where rows are shorter.
    `workspace` is a vector of `attend_workspace` elements; `q` must have all leading axes to use it.
    """
    if compute_dtype(q.dtype) != q.dtype:
        wide = None if mask is None else widened(mask)
        attended = attend(widened(q), widened(k), widened(v), wide, scale, nan_as_zero=nan_as_zero)
        return write(out, attended.astype(q.dtype))
    if workspace is not None and mask is None and not nan_as_zero:
        return _attend_in(workspace, q, k, v, scale, out)
    scores = np.matmul(q if scale == 1 else q * q.dtype.type(scale), k.swapaxes(-1, -2))
    if mask is not None:
        scores = scores + mask.astype(scores.dtype, copy=False)
    if not scores.shape[-1]:
        return np.asarray(np.matmul(scores, v, out=out))
    # A row of only -inf, as under a full mask, gives NaN without a warning.
    with np.errstate(invalid="ignore"):
        scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    # A matrix product sums rows several times as fast.
    sums = scores @ np.ones((scores.shape[-1], 1), scores.dtype)
    if nan_as_zero:
        rows = np.isnan(sums)
        scores[rows[..., 0]] = 0
        sums[rows] = 1
    result: Array = np.matmul(scores, v, out=out)
    result /= sums
    return result


def _attend_in(workspace: Array, q: Array, k: Array, v: Array, scale: float, out: Array | None) -> Array:
    """`attend` without a mask, which allocates nothing."""
    scaled, scores, along, ones = cut(workspace, *_shapes(q.shape, k.shape[-2]))
    with small_buffers():
        np.multiply(q, q.dtype.type(scale), out=scaled)
        np.matmul(scaled, k.swapaxes(-1, -2), out=scores)
        np.maximum.reduce(scores, -1, keepdims=True, out=along)
        scores -= along
        np.exp(scores, out=scores)
        ones.fill(1)
        np.matmul(scores, ones, out=along)
        result: Array = np.matmul(scores, v, out=out)
        result /= along
    return result


def _per_head(x: Array, heads: int) -> Array:
    """A view ``[batch, heads, rows, size]`` of ``[batch, rows, heads·size]``."""
    batch, rows, columns = x.shape
    return x.reshape(batch, rows, heads, columns // heads).swapaxes(1, 2)


def _joined(
    q: Array,
    k: Array,
    v: Array,
    mask: Array | None,
    scale: float,
    out: Array | None,
    workspace: Array | None = None,
    *,
    nan_as_zero: bool = False,
) -> Array:
    if out is not None and out.flags.c_contiguous:
        attend(q, k, v, mask, scale, _per_head(out, q.shape[1]), workspace, nan_as_zero=nan_as_zero)
        return out
    result = attend(q, k, v, mask, scale, nan_as_zero=nan_as_zero).swapaxes(1, 2)
    return write(out, result.reshape(*result.shape[:2], result.shape[2] * result.shape[3]))
