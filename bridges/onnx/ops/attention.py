"""attention, rotary_embedding → products, Softmax and sums (ONNX opset 21)."""

from __future__ import annotations

import math

import numpy as np

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Tensor
from lite.emission.onnx.shape_inputs import require_dim
from lite.ir.types import DType
from lite.plugin.device import BridgeOp


@converts("attention")
def attention(op: BridgeOp, ctx: Context) -> None:
    """attention → MatMul and Softmax: Softmax(scale · Q · Kᵀ + mask) · V for each head.

    Q, K, V float32[N, T, heads · H] or float32[N, heads, T, H]; masks of bool or float, grouped queries, past
    keys and values.  KeyLengths, Sink, windows and the output Scores are declined.
    """
    b, kind = ctx.builder, op["Q"].dtype
    windowed = op.integer("left_window_size") >= 0 or op.integer("right_window_size") >= 0
    extra = any(op.get(slot) is not None for slot in ("KeyLengths", "Sink"))
    if extra or windowed or op.writes("Scores"):
        raise Declined("it has KeyLengths, Sink, a window or the output Scores, which the host computes")
    q, k, v = (
        _by_head(op, ctx, slot, attr)
        for slot, attr in (("Q", "q_num_heads"), ("K", "kv_num_heads"), ("V", "kv_num_heads"))
    )
    for slot, past, part in (("PresentKey", "PastKey", "k"), ("PresentValue", "PastValue", "v")):
        before, now = ctx.optional(op, past), k if part == "k" else v
        whole = now if before is None else b.add("Concat", before, now, axis=2)
        k, v = (whole, v) if part == "k" else (k, whole)
        if op.node.outputs.get(slot):
            ctx.output(op, whole, slot)
    heads, kv_heads = _heads(op, "Q", "q_num_heads"), _heads(op, "K", "kv_num_heads")
    if heads != kv_heads:
        k, v = (_repeated(ctx, each, kv_heads, heads) for each in (k, v))
    size = _size(op)
    factor = op.real("scale") or 1 / math.sqrt(size)
    scores = b.add("MatMul", b.add("Mul", q, b.scalar(factor, kind)), b.transpose(k, [0, 1, 3, 2]))
    cap = op.real("softcap")
    if cap > 0:
        scores = b.add("Mul", b.add("Tanh", b.add("Div", scores, b.scalar(cap, kind))), b.scalar(cap, kind))
    scores = _masked(op, ctx, scores, q, k)
    mixed = b.add("MatMul", _probabilities(op, ctx, scores), v)
    if op["Q"].rank == 3:
        mixed = b.reshape(b.transpose(mixed, [0, 2, 1, 3]), 0, 0, -1)
    ctx.output(op, mixed, "Out")


def _heads(op: BridgeOp, slot: str, attr: str) -> int:
    return op.integer(attr) if op[slot].rank == 3 else require_dim(op[slot], 1, slot)


def _size(op: BridgeOp) -> int:
    width = require_dim(op["Q"], op["Q"].rank - 1, "Q")
    return width // op.integer("q_num_heads") if op["Q"].rank == 3 else width


def _by_head(op: BridgeOp, ctx: Context, slot: str, attr: str) -> Tensor:
    x, b = ctx.input(op, slot), ctx.builder
    if op[slot].rank == 4:
        return x
    return b.transpose(b.reshape(x, 0, 0, op.integer(attr), -1), [0, 2, 1, 3])


def _repeated(ctx: Context, x: Tensor, kv_heads: int, heads: int) -> Tensor:
    """Each head of K or V, repeated for all heads of Q that read it."""
    indices = np.repeat(np.arange(kv_heads), heads // kv_heads)
    return ctx.builder.add("Gather", x, ctx.builder.array(indices.astype(np.int64)), axis=1)


def _masked(op: BridgeOp, ctx: Context, scores: Tensor, q: Tensor, k: Tensor) -> Tensor:
    b, kind, mask = ctx.builder, scores.dtype, ctx.optional(op, "Mask")
    if mask is not None:
        columns, rows = op["Mask"].dims[-1], op["K"].dims[-2 if op["K"].rank == 4 else 1]
        if op.get("PastKey") is None and columns != rows:
            raise Declined(f"the mask must have one element per key, got {op['Mask']}")
        if op.get("PastKey") is not None and not isinstance(columns, int):
            raise Declined(f"the mask must have one element per key, got {op['Mask']}")
        if mask.dtype is DType.BOOL:
            added = b.add("Where", mask, b.scalar(0.0, kind), b.scalar(-np.inf, kind), dtype=kind)
        else:
            added = b.cast(mask, kind)
        scores = b.add("Add", scores, added)
    if op.flag("is_causal"):
        queries, keys = (b.rank_0(b.size(each, 2)) for each in (q, k))
        zero, one = b.scalar(0, DType.INT64), b.scalar(1, DType.INT64)
        past = b.scalar(0, DType.INT64)
        if op.flag("causal_lower_right"):
            past = b.add("Sub", keys, queries)
        elif op.get("PastKey") is not None:
            past = b.rank_0(b.size(ctx.input(op, "PastKey"), 2))
        last_key = b.add("Add", b.add("Range", zero, queries, one), past)
        ahead = b.add("Greater", b.add("Range", zero, keys, one), b.unsqueeze(last_key, 1), dtype=DType.BOOL)
        scores = b.add("Where", ahead, b.scalar(-np.inf, kind), scores, dtype=kind)
    return scores


def _probabilities(op: BridgeOp, ctx: Context, scores: Tensor) -> Tensor:
    """Softmax; zeros for a row whose keys are all masked."""
    b = ctx.builder
    probabilities = b.add("Softmax", scores, axis=-1)
    if op.get("Mask") is None and not op.flag("is_causal"):
        return probabilities
    is_masked = b.add("IsNaN", probabilities, dtype=DType.BOOL)
    return b.add("Where", is_masked, b.scalar(0.0, scores.dtype), probabilities, dtype=scores.dtype)


@converts("rotary_embedding")
def rotary_embedding(op: BridgeOp, ctx: Context) -> None:
    """rotary_embedding → Mul and Add: rotates pairs of elements by the angle of their position.

    X float32[N, T, heads · H] or float32[N, heads, T, H] with known last size (Su et al. 2021, RoFormer).
    """
    b, x, rank = ctx.builder, ctx.input(op, "X"), op["X"].rank
    last = require_dim(op["X"], rank - 1, "X")
    heads = op.integer("num_heads")
    if rank == 3:
        last //= heads
        x = b.reshape(x, 0, 0, heads, last)
    else:
        x = b.transpose(x, [0, 2, 1, 3])
    width = op.integer("rotary_embedding_dim") or last
    cos, sin = (ctx.input(op, slot) for slot in ("CosCache", "SinCache"))
    positions = ctx.optional(op, "PositionIds")
    if positions is not None:
        cos, sin = (b.add("Gather", each, b.cast(positions, DType.INT64), axis=0) for each in (cos, sin))
    cos, sin = (b.unsqueeze(each, 2) for each in (cos, sin))
    rotated = b.slice(x, [0], [width], [3])
    if op.flag("interleaved"):
        first, second = b.slice(rotated, [0], [width], [3], [2]), b.slice(rotated, [1], [width], [3], [2])
    else:
        first, second = b.slice(rotated, [0], [width // 2], [3]), b.slice(rotated, [width // 2], [width], [3])
    real = b.add("Sub", b.add("Mul", cos, first), b.add("Mul", sin, second))
    imaginary = b.add("Add", b.add("Mul", sin, first), b.add("Mul", cos, second))
    if op.flag("interleaved"):
        pairs = b.add("Concat", b.unsqueeze(real, 4), b.unsqueeze(imaginary, 4), axis=4)
        result = b.reshape(pairs, 0, 0, 0, -1)
    else:
        result = b.add("Concat", real, imaginary, axis=3)
    if width < last:
        result = b.add("Concat", result, b.slice(x, [width], [last], [3]), axis=3)
    ctx.output(op, b.reshape(result, 0, 0, -1) if rank == 3 else b.transpose(result, [0, 2, 1, 3]))
