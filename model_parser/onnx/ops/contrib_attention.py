"""ONNX Runtime's Attention, QAttention and MultiHeadAttention, as `attention`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from lite.ir.program import AttrValue
from lite.model_parser.onnx.attention_mask import padding_mask, part_of, size_of, split, sum_of
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.quantized_operand import read_quantization
from lite.model_parser.onnx.quantized_product import axis_size, float_product
from lite.model_parser.onnx.translations import onnx_op


@onnx_op("com.microsoft.Attention")
def attention(node: OnnxNode, writer: BlockWriter) -> None:
    """Self-attention of ``input · weights + bias``, which are Q, K and V side by side."""
    projected = writer.binary("matmul_v2", node.input(0), node.input(1))
    bias = node.optional(2)
    if bias is not None:
        projected = writer.binary("elementwise_add", projected, bias)
    _self_attention(node, writer, projected, mask=3, past=4, added=node.optional(5))


@onnx_op("com.microsoft.QAttention")
def quantized_attention(node: OnnxNode, writer: BlockWriter) -> None:
    """The same of a quantised input and weights; attention is computed in float32."""
    x, weights = node.input(0), node.input(1)
    columns = axis_size(writer, weights, -1)
    first = read_quantization(node, writer, writer.dtype(x), 3, 6)
    second = read_quantization(node, writer, writer.dtype(weights), 4, 7, count=columns)
    projected = float_product(writer, (x, first), (weights, second), node.input(2))
    _self_attention(node, writer, projected, mask=5, past=8, added=None)


def _self_attention(
    node: OnnxNode, writer: BlockWriter, projected: str, *, mask: int, past: int, added: str | None
) -> None:
    for name in ("do_rotary", "past_present_share_buffer"):
        if node.integer(name, 0):
            raise node.error(f"attribute {name}: expected 0, got 1; export the model without it")
    columns = axis_size(writer, node.input(1), -1)
    if columns is None:
        raise node.error(f"the number of columns of {node.input(1)!r} is unknown; add its shape to the model")
    sizes = node.integers("qkv_hidden_sizes") or [columns // 3] * 3
    if len(sizes) != 3 or sum(sizes) != columns:
        raise node.error(f"expected sizes of Q, K and V with the sum {columns}, got {sizes}")
    q, k, v = split(writer, projected, sizes, 2)
    length, past_key, past_value = size_of(writer, projected, 1), None, None
    past_name = node.optional(past)
    if past_name is not None:
        past_key, past_value = writer.new_name(past_name), writer.new_name(past_name)
        writer.emit("unstack", {"X": past_name}, {"Y": [past_key, past_value]}, {"axis": 0, "num": 2})
        length = writer.binary("elementwise_add", length, size_of(writer, past_key, 2))
    padding = padding_mask(node, writer, mask, projected, length, may_be_dummy=True)
    bias = sum_of(writer, padding, added)
    present = [writer.new_name(node.output()) for _ in range(2)] if node.optional_output(1) else []
    _attention(node, writer, (q, k, v), (past_key, past_value), bias, present)
    if present:
        writer.emit("stack", {"X": present}, {"Y": node.output(1)}, {"axis": 0})


@onnx_op("com.microsoft.MultiHeadAttention")
def multi_head_attention(node: OnnxNode, writer: BlockWriter) -> None:
    """Attention of Q, K and V, to which their parts of the bias are added.

    K and V are ``[batch, rows, heads · size]``, or ``[batch, heads, rows, size]`` without a bias.
    """
    parts = [node.input(position) for position in range(3)]
    if any(writer.rank(part) == 5 for part in parts[:2]):
        raise node.error("Q, K and V in one tensor are not supported; export them as three inputs")
    if node.optional_output(3):
        raise node.error(f"output 3 ({node.output(3)!r}), the scores, is not supported; remove it")
    bias = node.optional(3)
    if bias is not None:
        parts = [
            writer.binary("elementwise_add", part, addend)
            for part, addend in zip(parts, _parts_of_bias(writer, bias, parts), strict=True)
        ]
    past_key, past_value = node.optional(6), node.optional(7)
    length = size_of(writer, parts[1], -2)
    if past_key is not None:
        length = writer.binary("elementwise_add", length, size_of(writer, past_key, 2))
    mask = sum_of(writer, padding_mask(node, writer, 4, parts[0], length), node.optional(5))
    present = [name for n in (1, 2) if (name := node.optional_output(n))]
    _attention(node, writer, (parts[0], parts[1], parts[2]), (past_key, past_value), mask, present)


def _parts_of_bias(writer: BlockWriter, bias: str, parts: list[str]) -> list[str]:
    """The parts of the bias that belong to Q, K and V; Q and K are as wide as each other."""
    q, k, v = (axis_size(writer, part, -1) for part in parts)
    total = axis_size(writer, bias, 0)
    if total is not None and v is not None:
        q = q or k or (total - v) // 2
    width = q or k
    if width is not None and total is not None:
        return split(writer, bias, [width, width, total - 2 * width], 0)
    rows = size_of(writer, parts[0], 2)
    bounds = [writer.weight(np.zeros(1, np.int32), bias), rows, writer.binary("elementwise_add", rows, rows)]
    bounds.append(size_of(writer, bias, 0))
    return [part_of(writer, bias, each, 0) for each in pairwise(bounds)]


def _attention(
    node: OnnxNode,
    writer: BlockWriter,
    parts: tuple[str, str, str],
    past: tuple[str | None, str | None],
    mask: str | None,
    present: list[str],
) -> None:
    heads = node.integer("num_heads", 0)
    if heads < 1:
        raise node.error(f"attribute num_heads: expected 1 or more, got {heads}")
    attrs: dict[str, AttrValue] = {
        "is_causal": bool(node.integer("unidirectional", 0)),
        "q_num_heads": heads,
        "kv_num_heads": heads,
        "scale": node.real("scale", 0.0),
    }
    names = dict(zip(("PresentKey", "PresentValue"), present, strict=False))
    slots = {"Q": parts[0], "K": parts[1], "V": parts[2], "Mask": mask}
    writer.emit(
        "attention",
        {**slots, "PastKey": past[0], "PastValue": past[1]},
        {"Out": node.output(), **names},
        attrs,
    )
