"""Attention, rotary embeddings and related ops: litebridge's fused attention, and ops of ONNX."""

from __future__ import annotations

from lite.ir.types import UNKNOWN, Dim, Shape
from lite.ops.attrs import choice, number
from lite.ops.broadcast import broadcast_right
from lite.ops.rules import apply, same_as, total
from lite.ops.schema import op
from lite.ops.view import Inferred, Meta, OpView


def _per_head(op: OpView, slot: str, heads: int, parts: int = 1) -> Shape:
    """``[batch, heads, rows, size]`` from the shape ``[batch, rows, parts · heads · size]`` of a slot."""
    batch, rows, columns = op[slot].dims
    if isinstance(columns, int) and columns % (heads * parts):
        raise op.error(f"slot {slot}", f"a multiple of {heads * parts} columns", op[slot])
    return (batch, heads, rows, apply(columns, lambda size: size // (heads * parts)))


def _attended(op: OpView, q: Shape, k: Shape, v: Shape) -> Shape:
    """The shape of ``softmax(scale · q · kᵀ + Mask) · v``.

    The leading axes broadcast, and the mask with the scores: it may have more columns than ``k`` has rows if
    that is one.
    """
    _agree(op, "columns of K", q[-1], k[-1])
    scores = (*broadcast_right(op, q[:-2], k[:-2]), q[-2], k[-2])
    mask = op.get("Mask")
    if mask is not None:
        scores = broadcast_right(op, scores, mask.dims)
    _agree(op, "rows of V", scores[-1], v[-2])
    return (*broadcast_right(op, scores[:-2], v[:-2]), scores[-2], v[-1])


def _agree(op: OpView, where: str, expected: Dim, size: Dim) -> None:
    if isinstance(size, int) and isinstance(expected, int) and size != expected:
        raise op.error(where, str(expected), size)


def _joined(shape: Shape) -> Shape:
    """``[batch, rows, heads · size]`` from ``[batch, heads, rows, size]``."""
    batch, heads, rows, size = shape
    return (batch, rows, total((heads, size)))


def _fused_attention(op: OpView) -> Meta:
    heads = op.integer("head_number")
    if not heads:
        return Meta(op["Q"].dtype, _attended(op, op["Q"].dims, op["K"].dims, op["V"].dims))
    q, k, v = (_per_head(op, slot, heads) for slot in ("Q", "K", "V"))
    return Meta(op["Q"].dtype, _joined(_attended(op, q, k, v)))


def _fused_qkv_attention(op: OpView) -> Meta:
    part = _per_head(op, "QKV", op.integer("head_number"), 3)
    return Meta(op["QKV"].dtype, _joined(_attended(op, part, part, part)))


# With head_number 0, Q, K and V are matrices with any leading axes.  Otherwise they and the result are
# [batch, rows, heads · size], and attention is computed head by head.
# With nan_as_zero, a row of the softmax that is NaN, as under a mask of -inf only, is 0.
op(
    "fused_attention",
    "softmax(scale · Q · Kᵀ + Mask) · V, per head. litebridge's own, written by attention_fuse_pass.",
    "Q:float/2- K:float/2- V:float/2- Mask?:float",
    "Out",
    _fused_attention,
    attrs={"scale": 1.0, "head_number": number(0, 0), "nan_as_zero": False},
    inplace={"Out": "Q"},
)
# QKV is [batch, rows, 3 · heads · size]: first all of Q, then all of K, then all of V.
op(
    "fused_qkv_attention",
    "Self-attention of one tensor with Q, K and V. litebridge's own, written by attention_fuse_pass.",
    "QKV:float/3 Mask?:float",
    "Out",
    _fused_qkv_attention,
    attrs={"scale": 1.0, "head_number": number(1, 1), "nan_as_zero": False},
)


def _heads(op: OpView, slot: str, attr: str) -> Shape:
    """``[batch, heads, rows, size]`` of a slot with this shape or ``[batch, rows, heads · size]``."""
    dims, heads = op[slot].dims, op.integer(attr)
    if len(dims) == 4:
        return dims
    if heads < 1:
        raise op.error(f"attribute {attr}", f"at least 1, since slot {slot} has rank 3", heads)
    return (dims[0], heads, dims[1], apply(dims[2], lambda size: size // heads))


def _grown(past: Meta | None, new: Shape) -> Shape:
    if past is None:
        return new
    rows = past.dims[2]
    both = rows + new[2] if isinstance(rows, int) and isinstance(new[2], int) else UNKNOWN
    return (*new[:2], both, new[3])


def _attention(op: OpView) -> Inferred:
    q = _heads(op, "Q", "q_num_heads")
    k, v = (_heads(op, slot, "kv_num_heads") for slot in ("K", "V"))
    keys, values = _grown(op.get("PastKey"), k), _grown(op.get("PastValue"), v)
    out = (*q[:3], v[3])
    if op["Q"].rank == 3:
        out = (q[0], q[2], total((q[1], v[3])))
    return {
        "Out": Meta(op["Q"].dtype, out),
        "PresentKey": Meta(op["K"].dtype, keys),
        "PresentValue": Meta(op["V"].dtype, values),
        "Scores": Meta(op["Q"].dtype, (*q[:3], keys[2])),
    }


def _linear_attention(op: OpView) -> Inferred:
    q, v = op["Q"].dims, op["V"].dims
    heads, kv_heads = op.integer("q_num_heads"), op.integer("kv_num_heads")
    size, width = apply(q[2], lambda n: n // heads), apply(v[2], lambda n: n // kv_heads)
    past = op.get("PastState")
    return {
        "Out": Meta(op["Q"].dtype, (q[0], q[1], apply(width, lambda n: n * heads))),
        "PresentState": Meta(op["Q"].dtype if past is None else past.dtype, (q[0], kv_heads, size, width)),
    }


def _causal_conv(op: OpView) -> Inferred:
    x, weight = op["X"].dims, op["Filter"].dims
    state = (x[0], x[1], apply(weight[2], lambda k: k - 1))
    return {"Out": Meta(op["X"].dtype, x), "PresentState": Meta(op["X"].dtype, state)}


# With causal_lower_right, the last query is at the position of the last key, also with KeyLengths.
op(
    "attention",
    "Scaled dot-product attention with a key-value cache, after ONNX Attention.",
    "Q:float/3-4 K:float/3-4 V:float/3-4 Mask? PastKey?:float/4 PastValue?:float/4 KeyLengths?:int/1 "
    "Sink?:float/1",
    "Out PresentKey? PresentValue? Scores?",
    _attention,
    attrs={
        "is_causal": False,
        "q_num_heads": number(0, 0),
        "kv_num_heads": number(0, 0),
        "scale": 0.0,
        "softcap": 0.0,
        "qk_matmul_output_mode": number(0, 0, 3),
        "left_window_size": number(-1, -1),
        "right_window_size": number(-1, -1),
        "causal_lower_right": False,
    },
)
op(
    "rotary_embedding",
    "Rotary position embedding, after ONNX RotaryEmbedding.",
    "X:float/3-4 CosCache:float/2-3 SinCache:float/2-3 PositionIds?:int/2",
    "Out",
    same_as("X"),
    attrs={"interleaved": False, "num_heads": number(0, 0), "rotary_embedding_dim": number(0, 0)},
)
op(
    "linear_attention",
    "Linear attention with a recurrent state, after ONNX LinearAttention.",
    "Q:float/3 K:float/3 V:float/3 PastState?:float/4 Decay?:float/3 Beta?:float/3",
    "Out PresentState?",
    _linear_attention,
    attrs={
        "q_num_heads": number(1, 1),
        "kv_num_heads": number(1, 1),
        "scale": 0.0,
        "update_rule": choice("gated_delta", "linear", "gated", "delta"),
    },
)
op(
    "causal_conv",
    "Causal depthwise convolution with a state, after ONNX CausalConvWithState.",
    "X:float/3 Filter:float/3 Bias?:float/1 PastState?:float/3",
    "Out PresentState?",
    _causal_conv,
    attrs={"activation": choice("none", "silu", "swish")},
)
