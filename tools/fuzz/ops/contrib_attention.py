"""Attention and rotary embedding of ONNX Runtime's domain, and their newer forms in ONNX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lite.tools.fuzz.draw import Draw, Value, row
from lite.tools.fuzz.evaluate import Rejected

_CONTRIB = "com.microsoft"


def _scale(d: Draw) -> dict[str, Any]:
    return {"scale": d.pick((0.3, 1.0))} if d.chance(0.25) else {}


def _rows(d: Draw, *shape: int) -> Value:
    """A tensor of this shape: one of the graph, or a new input."""
    found = d.find(where=lambda v: v.shape == shape) if d.chance(0.3) else None
    return found or d.input(d.array(shape))


def _flags(d: Draw, *shape: int) -> Value:
    """A mask in which no row is empty: what is left of scores next to −10000 is only rounding."""
    flags = d.array(shape, "bool")
    flags[..., 0] = True
    return d.input(flags.astype("int32"), valid=lambda mask: bool(mask[..., 0].all()))


def _ends_and_starts(d: Draw, ends: np.ndarray[Any, Any]) -> Value:
    """The ends of the keys, which all start at 0."""
    starts = np.zeros_like(ends)
    return d.input(np.concatenate([ends, starts]), valid=lambda mask: not mask[mask.size // 2 :].any())


def _lengths(d: Draw, count: int, most: int, dtype: str = "int32") -> np.ndarray[Any, Any]:
    return np.asarray([d.integer(1, most) for _ in range(count)], dtype)


@row(0.3)
def multi_head_attention(d: Draw) -> Value:
    """MultiHeadAttention: biases, masks, a past, and keys that are already by head."""
    batch, heads, size, new, past = (d.integer(1, 3) for _ in range(5))
    keys = new if d.chance(0.5) else d.integer(1, 4)
    kind = d.pick(("plain", "plain", "past", "cross"))
    v_size = size if kind == "past" or d.chance(0.7) else d.integer(1, 3)
    width, v_width = heads * size, heads * v_size
    inputs: list[Value | None] = [_rows(d, batch, new, width), None, None]
    bias = d.constant(d.array((2 * width + v_width,))) if d.chance(0.4) else None
    history: list[Value | None] = [None, None]
    if kind in ("plain", "past"):
        inputs[1:] = [_rows(d, batch, keys, width), _rows(d, batch, keys, v_width)]
    if kind == "past":
        history = [d.input(d.array((batch, heads, past, n))) for n in (size, v_size)]
    elif kind == "cross":
        inputs[1:] = [d.input(d.array((batch, heads, keys, n))) for n in (size, v_size)]
        bias = None
    total = keys + (past if kind == "past" else 0)
    mask = None
    if d.chance(0.4):
        masks: tuple[Callable[[], Value], ...] = (
            lambda: d.input(_lengths(d, batch, total)),
            lambda: _flags(d, batch, total),
            lambda: _flags(d, batch, new, total),
        )
        mask = d.pick(masks)()
    added = d.fresh(d.array((d.pick((1, batch)), d.pick((1, heads)), new, total))) if d.chance(0.35) else None
    attrs = {"num_heads": heads, **_scale(d)}
    # ONNX Runtime's meaning of more keys than rows depends on their numbers.
    if keys == new and kind != "cross" and d.chance(0.4):
        attrs["unidirectional"] = 1
    # Without these outputs, ONNX Runtime leaves out the past.
    outputs = 3 if kind == "past" or d.chance(0.4) else 1
    node_inputs = [*inputs, bias, mask, added, *history]
    return d.nodes_outputs("MultiHeadAttention", node_inputs, outputs, domain=_CONTRIB, **attrs)[0]


@row(0.25)
def packed_attention(d: Draw) -> Value:
    """Attention of ONNX Runtime and QAttention: one product for Q, K and V."""
    batch, heads, size, rows, past = (d.integer(1, 3) for _ in range(5))
    width, columns = heads * size, d.integer(1, 4)
    has_present = d.chance(0.4)
    sizes = [width, width, width if has_present or d.chance(0.6) else heads * d.integer(1, 3)]
    attrs: dict[str, Any] = {"num_heads": heads}
    if sizes[2] != width or d.chance(0.2):
        attrs["qkv_hidden_sizes"] = sizes
    if d.chance(0.3):
        attrs["unidirectional"] = 1
    history = d.input(d.array((2, batch, heads, past, size))) if has_present and d.chance(0.8) else None
    total = rows + (past if history is not None else 0)
    mask = None
    if d.chance(0.5):
        limits = _lengths(d, batch, total)
        masks: tuple[Callable[[], Value], ...] = (
            lambda: d.input(limits),
            lambda: _ends_and_starts(d, limits),
            lambda: _flags(d, batch, total),
            lambda: _flags(d, batch, rows, total),
            lambda: _flags(d, d.pick((1, batch)), 1),
        )
        mask = d.pick(masks)()
    outputs = 2 if has_present else 1
    if d.chance(0.3):
        numbers = [d.constant(np.float32(2.0**-4)), d.constant(np.float32(2.0**-5)), mask]
        zeros = [d.constant(np.uint8(d.integer(0, 9))), d.constant(np.int8(0))]
        x, w = d.input(d.array((batch, rows, columns), "uint8")), d.array((columns, 3 * width), "int8")
        tail = [*numbers, *zeros, history]
        attrs.pop("qkv_hidden_sizes", None)
        inputs: list[Value | None] = [x, d.constant(w), d.constant(d.array((3 * width,))), *tail]
        return d.nodes_outputs("QAttention", inputs, outputs, domain=_CONTRIB, **attrs)[0]
    x = _rows(d, batch, rows, columns)
    bias = d.constant(d.array((sum(sizes),))) if d.chance(0.8) else None
    added = d.fresh(d.array((d.pick((1, batch)), d.pick((1, heads)), rows, total))) if d.chance(0.3) else None
    inputs = [x, d.constant(d.array((columns, sum(sizes)))), bias, mask, history, added]
    return d.nodes_outputs("Attention", inputs, outputs, domain=_CONTRIB, **attrs, **_scale(d))[0]


def _tables(d: Draw, rows: int, pairs: int) -> list[Value]:
    angles = np.outer(np.arange(rows), 1.0 / (1 + np.arange(pairs)))
    return [d.constant(table.astype(np.float32)) for table in (np.cos(angles), np.sin(angles))]


@row(0.3)
def group_query_attention(d: Draw) -> Value:
    """GroupQueryAttention: shared heads, caches, rotation, windows, soft caps, packed operands."""
    batch, kv_heads, group, past = d.integer(1, 2), d.integer(1, 2), d.integer(1, 2), d.integer(0, 4)
    size, rows = d.pick((16, 32)), d.integer(1, 4)
    if past:
        batch, rows = (1, rows) if d.chance(0.5) else (batch, 1)
    heads = kv_heads * group
    total = past + rows
    is_packed = d.chance(0.3)
    widths = (heads * size, kv_heads * size, kv_heads * size)
    if is_packed:
        parts: list[Value | None] = [d.input(d.array((batch, rows, sum(widths)))), None, None]
    else:
        parts = [_rows(d, batch, rows, width) for width in widths]
    history: list[Value | None] = [None, None]
    if past or d.chance(0.3):
        history = [d.input(d.array((batch, kv_heads, past, size))) for _ in range(2)]
    lengths = np.full(batch, total - 1, "int32")
    numbers = [d.input(lengths), d.fresh(np.asarray(total, "int32"))]
    attrs: dict[str, Any] = {"num_heads": heads, "kv_num_heads": kv_heads, **_scale(d)}
    rotation: list[Value] = []
    if d.chance(0.5):
        attrs["do_rotary"] = 1
        attrs["rotary_interleaved"] = d.integer(0, 1)
        rotation = _tables(d, total + d.integer(0, 3), size // 2)
    if d.chance(0.3):
        attrs["local_window_size"] = d.integer(1, 4)
    if d.chance(0.2):
        attrs["softcap"] = d.pick((0.5, 5.0))
    tail: list[Value | None] = [*rotation, *[None] * (2 - len(rotation)), None]
    tail.append(d.fresh(d.array((1, 1, rows, total))) if d.chance(0.2) else None)
    if d.chance(0.2):
        attrs["smooth_softmax"] = 1
    elif d.chance(0.2):
        tail.append(d.constant(d.array((heads,))))
    inputs = [*parts, *history, *numbers, *tail]
    return d.nodes_outputs("GroupQueryAttention", inputs, 3, domain=_CONTRIB, **attrs)[0]


@row(0.3)
def rotary_embedding(d: Draw) -> Value:
    """RotaryEmbedding of both domains, on three and four axes, of a part of each head."""
    batch, heads, rows, pairs = d.integer(1, 2), d.integer(1, 3), d.integer(1, 4), d.integer(1, 4)
    size = 2 * pairs
    is_contrib = d.opset < 23 or d.chance(0.5)
    width = 2 * d.integer(1, pairs) if d.chance(0.3) else size
    attrs: dict[str, Any] = {"interleaved": d.integer(0, 1)}
    if width != size:
        attrs["rotary_embedding_dim"] = width
    has_axes = d.chance(0.5)
    # The tables fix the size of a head, which ONNX Runtime does not check.
    shape = (batch, heads, rows, size) if has_axes else (batch, rows, heads * size)
    x = d.input(d.array(shape), is_fixed=True)
    if not has_axes or width != size:
        attrs["num_heads"] = heads
    tables = _tables(d, rows + d.integer(0, 3), width // 2)
    limit = tables[0].shape[0] - 1
    if is_contrib:
        first = np.asarray([d.integer(0, limit - rows + 1)], "int64")
        each = np.asarray([[d.integer(0, limit) for _ in range(rows)] for _ in range(batch)], "int64")
        positions = d.input(first if d.chance(0.4) else each)
        return d.node("RotaryEmbedding", [x, positions, *tables], domain=_CONTRIB, **attrs)
    if d.chance(0.6):
        each = np.asarray([[d.integer(0, limit) for _ in range(rows)] for _ in range(batch)], "int64")
        return d.node("RotaryEmbedding", [x, *tables, d.input(each)], **attrs)
    rotations = [d.constant(d.array((batch, rows, width // 2))) for _ in range(2)]
    return d.node("RotaryEmbedding", [x, *rotations], **attrs)


@row(0.3)
def attention_with_cache(d: Draw) -> Value:
    """Attention of opset 23: shared heads, both layouts, masks, a past, soft caps, all outputs."""
    if d.opset < 23:
        raise Rejected("no Attention yet")
    batch, kv_heads, group, rows, keys, past = (d.integer(1, 3) for _ in range(6))
    size, v_size = d.integer(1, 4), d.integer(1, 4)
    heads = kv_heads * group
    attrs: dict[str, Any] = {}
    if d.chance(0.5):
        shapes: list[tuple[int, ...]] = [
            (batch, heads, rows, size),
            (batch, kv_heads, keys, size),
            (batch, kv_heads, keys, v_size),
        ]
    else:
        shapes = [
            (batch, rows, heads * size),
            (batch, keys, kv_heads * size),
            (batch, keys, kv_heads * v_size),
        ]
        attrs = {"q_num_heads": heads, "kv_num_heads": kv_heads}
    inputs: list[Value | None] = [_rows(d, *shape) for shape in shapes]
    has_past = d.chance(0.4)
    total = keys + (past if has_past else 0)
    mask = None
    if d.chance(0.5):
        lead = d.pick(((), (1, 1), (batch, 1), (batch, heads), (1, heads), (heads,)))
        array = d.array((*lead, rows, total), d.pick(("float32", "bool")))
        mask = d.fresh(array | (np.arange(total) == 0) if array.dtype == bool else array)
    history = (
        [d.input(d.array((batch, kv_heads, past, n))) for n in (size, v_size)] if has_past else [None, None]
    )
    if d.chance(0.35):
        attrs["is_causal"] = 1
    if d.chance(0.25):
        attrs["softcap"] = d.pick((0.5, 3.0))
    attrs |= _scale(d)
    present = [True, has_past, has_past, not has_past and d.chance(0.3)]
    if present[3]:
        attrs["qk_matmul_output_mode"] = d.integer(0, 3)
    while not present[-1]:
        present.pop()
    return d.nodes_outputs("Attention", [*inputs, mask, *history], present, **attrs)[0]
