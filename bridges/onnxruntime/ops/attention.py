"""Attention and its positions, as sums of products."""

from __future__ import annotations

import math

import numpy as np

from lite.bridges.onnxruntime.bridging import Context, converts
from lite.bridges.onnxruntime.builder import Tensor
from lite.bridges.onnxruntime.ops.sizes import known_dim
from lite.errors import CompileError
from lite.ir.types import DType
from lite.plugin.device import BridgeOp


@converts("attention")
def attention(op: BridgeOp, ctx: Context) -> None:
    """Softmax(scale · Q · Kᵀ + mask) · V by head; masks of booleans, several queries per key, the past."""
    b, kind = ctx.builder, op["Q"].dtype
    windowed = op.integer("left_window_size") >= 0 or op.integer("right_window_size") >= 0
    if op.get("KeyLengths") is not None or windowed or op.writes("Scores"):
        raise CompileError("attention with lengths of keys, windows or scores is left to the host")
    q, k, v = (
        _by_head(op, ctx, slot, attr)
        for slot, attr in (("Q", "q_num_heads"), ("K", "kv_num_heads"), ("V", "kv_num_heads"))
    )
    for slot, past, name in (("PresentKey", "PastKey", "k"), ("PresentValue", "PastValue", "v")):
        before, now = ctx.optional(op, past), k if name == "k" else v
        whole = now if before is None else b.add("Concat", before, now, axis=2)
        k, v = (whole, v) if name == "k" else (k, whole)
        if op.node.outputs.get(slot):
            ctx.output(op, whole, slot)
    heads, kept = _heads(op, "Q", "q_num_heads"), _heads(op, "K", "kv_num_heads")
    if heads != kept:
        k, v = (_repeated(ctx, each, kept, heads) for each in (k, v))
    size = _size(op)
    factor = op.real("scale") or 1 / math.sqrt(size)
    scores = b.add("MatMul", b.add("Mul", q, b.scalar(factor, kind)), b.transpose(k, [0, 1, 3, 2]))
    cap = op.real("softcap")
    if cap > 0:
        scores = b.add("Mul", b.add("Tanh", b.add("Div", scores, b.scalar(cap, kind))), b.scalar(cap, kind))
    scores = _masked(op, ctx, scores, q, k)
    mixed = b.add("MatMul", _shares(op, ctx, scores), v)
    if op["Q"].rank == 3:
        mixed = b.reshape(b.transpose(mixed, [0, 2, 1, 3]), 0, 0, -1)
    ctx.output(op, mixed, "Out")


def _heads(op: BridgeOp, slot: str, attr: str) -> int:
    return op.integer(attr) if op[slot].rank == 3 else known_dim(op[slot], 1, slot)


def _size(op: BridgeOp) -> int:
    width = known_dim(op["Q"], op["Q"].rank - 1, "Q")
    return width // op.integer("q_num_heads") if op["Q"].rank == 3 else width


def _by_head(op: BridgeOp, ctx: Context, slot: str, attr: str) -> Tensor:
    x, b = ctx.input(op, slot), ctx.builder
    if op[slot].rank == 4:
        return x
    return b.transpose(b.reshape(x, 0, 0, op.integer(attr), -1), [0, 2, 1, 3])


def _repeated(ctx: Context, x: Tensor, kept: int, heads: int) -> Tensor:
    """Each head as often as it has queries, side by side."""
    places = np.repeat(np.arange(kept), heads // kept)
    return ctx.builder.add("Gather", x, ctx.builder.array(places.astype(np.int64)), axis=1)


def _masked(op: BridgeOp, ctx: Context, scores: Tensor, q: Tensor, k: Tensor) -> Tensor:
    b, kind, mask = ctx.builder, scores.dtype, ctx.optional(op, "Mask")
    if mask is not None:
        columns, rows = op["Mask"].dims[-1], op["K"].dims[-2 if op["K"].rank == 4 else 1]
        if op.get("PastKey") is None and columns != rows:
            raise CompileError(f"the mask must have one place per key, got {op['Mask']}")
        if op.get("PastKey") is not None and not isinstance(columns, int):
            raise CompileError(f"the mask must have one place per key, got {op['Mask']}")
        if mask.dtype is DType.BOOL:
            added = b.add("Where", mask, b.scalar(0.0, kind), b.scalar(-np.inf, kind), dtype=kind)
        else:
            added = b.cast(mask, kind)
        scores = b.add("Add", scores, added)
    if op.flag("is_causal"):
        rows_of, columns_of = (b.add("Reshape", b.size(each, 2), b.ints()) for each in (q, k))
        zero, one = b.scalar(0, DType.INT64), b.scalar(1, DType.INT64)
        past = b.scalar(0, DType.INT64)
        if op.get("PastKey") is not None:
            past = b.add("Reshape", b.size(ctx.input(op, "PastKey"), 2), b.ints())
        last = b.add("Add", b.add("Range", zero, rows_of, one), past)
        ahead = b.add(
            "Greater", b.add("Range", zero, columns_of, one), b.unsqueeze(last, 1), dtype=DType.BOOL
        )
        scores = b.add("Where", ahead, b.scalar(-np.inf, kind), scores, dtype=kind)
    return scores


def _shares(op: BridgeOp, ctx: Context, scores: Tensor) -> Tensor:
    """Softmax; a row of which every key is masked gives zeros."""
    b = ctx.builder
    shares = b.add("Softmax", scores, axis=-1)
    if op.get("Mask") is None and not op.flag("is_causal"):
        return shares
    nothing = b.add("IsNaN", shares, dtype=DType.BOOL)
    return b.add("Where", nothing, b.scalar(0.0, scores.dtype), shares, dtype=scores.dtype)


@converts("rotary_embedding")
def rotary_embedding(op: BridgeOp, ctx: Context) -> None:
    """Pairs of elements turned by the angle of their position."""
    b, x, rank = ctx.builder, ctx.input(op, "X"), op["X"].rank
    last = known_dim(op["X"], rank - 1, "X")
    heads = op.integer("num_heads")
    if rank == 3:
        last //= heads
        x = b.reshape(x, 0, 0, heads, last)
    else:
        x = b.transpose(x, [0, 2, 1, 3])
    width = op.integer("rotary_embedding_dim") or last
    cos, sin = (ctx.input(op, slot) for slot in ("CosCache", "SinCache"))
    places = ctx.optional(op, "PositionIds")
    if places is not None:
        cos, sin = (b.add("Gather", each, b.cast(places, DType.INT64), axis=0) for each in (cos, sin))
    cos, sin = (b.unsqueeze(each, 2) for each in (cos, sin))
    turned = b.cut(x, [0], [width], [3])
    if op.flag("interleaved"):
        first, second = b.cut(turned, [0], [width], [3], [2]), b.cut(turned, [1], [width], [3], [2])
    else:
        first, second = b.cut(turned, [0], [width // 2], [3]), b.cut(turned, [width // 2], [width], [3])
    real = b.add("Sub", b.add("Mul", cos, first), b.add("Mul", sin, second))
    imaginary = b.add("Add", b.add("Mul", sin, first), b.add("Mul", cos, second))
    if op.flag("interleaved"):
        pairs = b.add("Concat", b.unsqueeze(real, 4), b.unsqueeze(imaginary, 4), axis=4)
        result = b.reshape(pairs, 0, 0, 0, -1)
    else:
        result = b.add("Concat", real, imaginary, axis=3)
    if width < last:
        result = b.add("Concat", result, b.cut(x, [width], [last], [3]), axis=3)
    ctx.output(op, b.reshape(result, 0, 0, -1) if rank == 3 else b.transpose(result, [0, 2, 1, 3]))
