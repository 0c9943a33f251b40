"""ONNX Runtime's GroupQueryAttention and RotaryEmbedding, as `attention` and `rotary_embedding`."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.attention_mask import numbers_up_to, size_of, split
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.quantized_product import axis_size
from lite.model_parser.onnx.translations import onnx_op

_UNSUPPORTED = ("qk_output", "sliding_window_cache")
"""Attributes that must be 0."""

_SINK, _FIRST_UNSUPPORTED_INPUT = 11, 12
"""The sinks of heads, and the scales of a quantised cache and what comes after them."""


@onnx_op("com.microsoft.GroupQueryAttention")
def group_query_attention(node: OnnxNode, writer: BlockWriter) -> None:
    """Causal attention in which several heads of Q share one of K and V, with a cache of K and V.

    ``seqlens_k + 1`` rows of each item of the batch are valid, of which the last ones are new.
    """
    _check_supported(node)
    heads, kv_heads = node.integer("num_heads", 0), node.integer("kv_num_heads", 0)
    if heads < 1 or kv_heads < 1:
        raise node.error(f"num_heads and kv_num_heads: expected 1 or more, got {heads} and {kv_heads}")
    q, k, v = _parts(node, writer, heads, kv_heads)
    rows = size_of(writer, q, 1)
    valid = writer.unary("scale", writer.unary("reshape2", node.input(5), {"shape": [-1]}), {"bias": 1.0})
    zero = writer.weight(np.zeros(1, np.int32), node.input(5))
    before = writer.binary("elementwise_max", writer.binary("elementwise_sub", valid, rows), zero)
    if node.integer("do_rotary", 0):
        positions = node.optional(9) or _positions(writer, before, rows)
        q, k = (_rotated(node, writer, part, positions, count) for part, count in ((q, heads), (k, kv_heads)))
    k, v = (_by_head(writer, part, kv_heads) for part in (k, v))
    lengths = None
    if node.optional(3) is not None:
        total = writer.unary("reshape2", node.input(6), {"shape": [1]})
        k, v = (
            _cached(writer, node.input(position), part, before, total) for position, part in ((3, k), (4, v))
        )
        lengths = writer.cast(writer.binary("elementwise_add", before, rows), DType.INT64)
    for position, part in ((1, k), (2, v)):
        if node.optional_output(position):
            writer.unary("assign", part, out=node.output(position))
    window = node.integer("local_window_size", -1)
    attrs: dict[str, AttrValue] = {
        "is_causal": bool(node.integer("causal", 1)),
        "q_num_heads": heads,
        "kv_num_heads": kv_heads,
        "scale": node.real("scale", 0.0),
        "softcap": node.real("softcap", 0.0),
        "left_window_size": window - 1 if window > 0 else -1,
    }
    sink = node.optional(_SINK)
    if sink is None and node.integer("smooth_softmax", 0) > 0:
        sink = writer.weight(np.zeros(heads, np.float32), node.output())
    inputs = {"Q": q, "K": k, "V": v, "Mask": node.optional(10), "KeyLengths": lengths, "Sink": sink}
    writer.emit("attention", inputs, {"Out": node.output()}, attrs)


def _check_supported(node: OnnxNode) -> None:
    for name in _UNSUPPORTED:
        if node.integer(name, 0) > 0:
            raise node.error(f"attribute {name}: expected 0, got {node.integer(name, 0)}")
    for name in ("k_quant_type", "v_quant_type"):
        if node.string(name, "NONE") != "NONE":
            raise node.error(f"attribute {name}: expected NONE, got {node.string(name, 'NONE')!r}")
    for position in range(_FIRST_UNSUPPORTED_INPUT, len(node.inputs)):
        if node.optional(position):
            raise node.error(f"input {position} ({node.input(position)!r}) is not supported; remove it")


def _parts(node: OnnxNode, writer: BlockWriter, heads: int, kv_heads: int) -> tuple[str, str, str]:
    """Q, K and V, each ``[batch, rows, heads · size]``."""
    q, k, v = node.input(0), node.optional(1), node.optional(2)
    if k is not None and v is not None:
        return q, k, v
    by_head = writer.unary("reshape2", q, {"shape": [0, 0, heads + 2 * kv_heads, -1]})
    parts = split(writer, by_head, [heads, kv_heads, kv_heads], 2)
    q, k, v = (writer.unary("reshape2", part, {"shape": [0, 0, -1]}) for part in parts)
    return q, k, v


def _by_head(writer: BlockWriter, part: str, heads: int) -> str:
    """``[batch, rows, heads · size]`` as ``[batch, heads, rows, size]``."""
    shaped = writer.unary("reshape2", part, {"shape": [0, 0, heads, -1]})
    return writer.unary("transpose2", shaped, {"axis": [0, 2, 1, 3]})


def _positions(writer: BlockWriter, before: str, rows: str) -> str:
    """The position of each row, ``[batch, rows]``, where `before` rows come first."""
    first = writer.unary("unsqueeze2", before, {"axes": [1]})
    numbers = writer.unary("unsqueeze2", numbers_up_to(writer, rows), {"axes": [0]})
    return writer.cast(writer.binary("elementwise_add", first, numbers), DType.INT64)


def _rotated(node: OnnxNode, writer: BlockWriter, part: str, positions: str, heads: int) -> str:
    pairs = axis_size(writer, node.input(7), 1)
    out = writer.new_name(part)
    attrs: dict[str, AttrValue] = {
        "interleaved": bool(node.integer("rotary_interleaved", 0)),
        "num_heads": heads,
        "rotary_embedding_dim": 0 if pairs is None else 2 * pairs,
    }
    inputs = {"X": part, "CosCache": node.input(7), "SinCache": node.input(8), "PositionIds": positions}
    writer.emit("rotary_embedding", inputs, {"Out": out}, attrs)
    return out


def _cached(writer: BlockWriter, past: str, new: str, before: str, total: str) -> str:
    """The cache ``[batch, heads, total, size]``: `before` rows of the past, the new ones, and zeros."""
    out = writer.new_name(new)
    starts = writer.cast(before, DType.INT64)
    inputs = {"X": past, "Updates": new, "Starts": starts, "Length": total}
    writer.emit("cache_append", inputs, {"Out": out})
    return out


@onnx_op("com.microsoft.RotaryEmbedding")
def rotary_embedding(node: OnnxNode, writer: BlockWriter) -> None:
    """`rotary_embedding`; a single position is the first row's, and the next rows count on."""
    if node.integer("is_packed_batching", 0) or node.real("scale", 1.0) != 1:
        raise node.error("is_packed_batching and a scale other than 1 are not supported")
    x, positions = node.input(0), node.input(1)
    width, pairs = node.integer("rotary_embedding_dim", 0), axis_size(writer, node.input(2), 1)
    heads, columns = node.integer("num_heads", 0), axis_size(writer, x, -1)
    if heads < 1 and writer.rank(x) == 3:
        if columns is None or pairs is None:
            raise node.error("the size of a head is unknown; add the shapes of the inputs to the model")
        heads = columns // (2 * pairs)
    if writer.known_rank(positions) == 1:
        rows = size_of(writer, x, -2)
        numbers = writer.cast(numbers_up_to(writer, rows), writer.dtype(positions))
        positions = writer.binary("elementwise_add", numbers, positions)
        positions = _for_each_item(writer, x, positions)
    attrs: dict[str, AttrValue] = {
        "interleaved": bool(node.integer("interleaved", 0)),
        "num_heads": heads,
        "rotary_embedding_dim": width,
    }
    inputs = {"X": x, "CosCache": node.input(2), "SinCache": node.input(3), "PositionIds": positions}
    writer.emit("rotary_embedding", inputs, {"Out": node.output()}, attrs)


def _for_each_item(writer: BlockWriter, x: str, positions: str) -> str:
    """``[rows]`` as ``[batch, rows]``, where `x` has the batch on axis 0."""
    batch = numbers_up_to(writer, size_of(writer, x, 0))
    zeros = writer.unary("scale", writer.cast(batch, writer.dtype(positions)), {"scale": 0.0})
    column = writer.unary("unsqueeze2", zeros, {"axes": [1]})
    return writer.binary("elementwise_add", column, positions)
