"""Attention and its kin, after ONNX Attention, RotaryEmbedding, LinearAttention and CausalConvWithState."""

from __future__ import annotations

from lite.ir.types import UNKNOWN, Shape
from lite.ops.rules import apply, total
from lite.ops.schema import choice, number, op
from lite.ops.view import Inferred, Meta, OpView


def _heads(op: OpView, slot: str, attr: str) -> Shape:
    """``[batch, heads, rows, size]`` of a slot that may be ``[batch, rows, heads · size]``."""
    dims, heads = op[slot].dims, op.integer(attr)
    if len(dims) == 4:
        return dims
    if heads < 1:
        raise op.error(f"attribute {attr}", "a number of heads, the inputs being of rank 3", heads)
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


def _rotary(op: OpView) -> Meta:
    return Meta(op["X"].dtype, op["X"].dims)


def _linear_attention(op: OpView) -> Inferred:
    q, v = op["Q"].dims, op["V"].dims
    heads, kept = op.integer("q_num_heads"), op.integer("kv_num_heads")
    size, width = apply(q[2], lambda n: n // heads), apply(v[2], lambda n: n // kept)
    past = op.get("PastState")
    return {
        "Out": Meta(op["Q"].dtype, (q[0], q[1], apply(width, lambda n: n * heads))),
        "PresentState": Meta(op["Q"].dtype if past is None else past.dtype, (q[0], kept, size, width)),
    }


def _causal_conv(op: OpView) -> Inferred:
    x, weight = op["X"].dims, op["Filter"].dims
    state = (x[0], x[1], apply(weight[2], lambda k: k - 1))
    return {"Out": Meta(op["X"].dtype, x), "PresentState": Meta(op["X"].dtype, state)}


op(
    "attention",
    "Q:float/3-4 K:float/3-4 V:float/3-4 Mask? PastKey?:float/4 PastValue?:float/4 KeyLengths?:int/1",
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
    },
)
op(
    "rotary_embedding",
    "X:float/3-4 CosCache:float/2-3 SinCache:float/2-3 PositionIds?:int/2",
    "Out",
    _rotary,
    attrs={"interleaved": False, "num_heads": number(0, 0), "rotary_embedding_dim": number(0, 0)},
)
op(
    "linear_attention",
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
    "X:float/3 Filter:float/3 Bias?:float/1 PastState?:float/3",
    "Out PresentState?",
    _causal_conv,
    attrs={"activation": choice("none", "silu", "swish")},
)
