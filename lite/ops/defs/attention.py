"""Attention as one op: what `attention_fuse_pass` makes of products, softmax and the shuffling of heads."""

from __future__ import annotations

from lite.ir.types import Shape
from lite.ops.rules import apply, broadcast_right, total
from lite.ops.schema import number, op
from lite.ops.view import Meta, OpView


def _per_head(op: OpView, slot: str, heads: int, parts: int = 1) -> Shape:
    """``[batch, heads, rows, size]`` of a slot that is ``[batch, rows, parts · heads · size]``."""
    batch, rows, columns = op[slot].dims
    if isinstance(columns, int) and columns % (heads * parts):
        raise op.error(f"slot {slot}", f"a multiple of {heads * parts} columns", op[slot])
    return (batch, heads, rows, apply(columns, lambda size: size // (heads * parts)))


def _attended(op: OpView, q: Shape, k: Shape, v: Shape) -> Shape:
    """The shape of ``softmax(scale · q · kᵀ + Mask) · v``, all of them matrices behind what broadcasts."""
    for found, wanted, where in ((k[-1], q[-1], "columns of K"), (v[-2], k[-2], "rows of V")):
        if isinstance(found, int) and isinstance(wanted, int) and found != wanted:
            raise op.error(where, str(wanted), found)
    scores = (*broadcast_right(op, q[:-2], k[:-2]), q[-2], k[-2])
    mask = op.get("Mask")
    if mask is not None:
        scores = broadcast_right(op, scores, mask.dims)
    return (*broadcast_right(op, scores[:-2], v[:-2]), scores[-2], v[-1])


def _joined(shape: Shape) -> Shape:
    """``[batch, rows, heads · size]`` of what was found for each head."""
    batch, heads, rows, size = shape
    return (batch, rows, total((heads, size)))


def _attention(op: OpView) -> Meta:
    heads = op.integer("head_number")
    if not heads:
        return Meta(op["Q"].dtype, _attended(op, op["Q"].dims, op["K"].dims, op["V"].dims))
    q, k, v = (_per_head(op, slot, heads) for slot in ("Q", "K", "V"))
    return Meta(op["Q"].dtype, _joined(_attended(op, q, k, v)))


def _qkv_attention(op: OpView) -> Meta:
    part = _per_head(op, "QKV", op.integer("head_number"), 3)
    return Meta(op["QKV"].dtype, _joined(_attended(op, part, part, part)))


# head_number 0: Q, K and V are matrices behind any axes.  Otherwise they are [batch, rows, heads · size],
# as is the result, and attention is paid head by head.
op(
    "fused_attention",
    "Q:float/2- K:float/2- V:float/2- Mask?:float",
    "Out",
    _attention,
    attrs={"scale": 1.0, "head_number": number(0, 0)},
)
# QKV is [batch, rows, 3 · heads · size]: first all of Q, then all of K, then all of V.
op(
    "fused_qkv_attention",
    "QKV:float/3 Mask?:float",
    "Out",
    _qkv_attention,
    attrs={"scale": 1.0, "head_number": number(1, 1)},
)
