"""Normalisations that ONNX Runtime fuses: of a sum (Skip…), of embeddings, and by the mean square alone."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.norm_formulas import Affine, TrailingAxes
from lite.model_parser.onnx.translations import onnx_op

_SMALL_EPSILON = 1e-12
"""The default of the ops in the domain com.microsoft."""


@onnx_op("SimplifiedLayerNormalization", "com.microsoft.SimplifiedLayerNormalization")
def simplified_layer_norm(node: OnnxNode, writer: BlockWriter) -> None:
    """`rms_norm` from ``axis`` on."""
    x = node.input(0)
    rank, axis, epsilon = writer.rank(x), node.integer("axis", -1), node.real("epsilon", 1e-5)
    if rank is None:
        axes = TrailingAxes(writer, x, axis, epsilon)
        axes.rms_norm(node.output(), node.input(1), node.optional_output(1))
        return
    axis = axis + rank if axis < 0 else axis
    _rms_norm(writer, x, node.input(1), node.output(), epsilon, axis)
    if node.optional_output(1):
        TrailingAxes(writer, x, axis - rank, epsilon).inverse_rms(node.output(1))


@onnx_op("com.microsoft.SkipLayerNormalization")
def skip_layer_norm(node: OnnxNode, writer: BlockWriter) -> None:
    """`layer_norm` of input + skip + bias, over the last axis."""
    _no_statistics(node, (1, 2))
    total, scale, bias = _total(node, writer, node.optional(4)), node.input(2), node.optional(3)
    rank, epsilon = writer.rank(node.input(0)), node.real("epsilon", _SMALL_EPSILON)
    if rank is None:
        axes = TrailingAxes(writer, total, -1, epsilon)
        axes.layer_norm(node.output(), Affine(scale, bias), None, None)
        return
    attrs: dict[str, AttrValue] = {"epsilon": epsilon, "begin_norm_axis": rank - 1}
    writer.emit("layer_norm", {"X": total, "Scale": scale, "Bias": bias}, {"Y": node.output()}, attrs)


@onnx_op("com.microsoft.SkipSimplifiedLayerNormalization")
def skip_simplified_layer_norm(node: OnnxNode, writer: BlockWriter) -> None:
    """`rms_norm` of input + skip + bias, over the last axis."""
    _no_statistics(node, (1, 2))
    total, scale, out = _total(node, writer, node.optional(3)), node.input(2), node.output()
    rank, epsilon = writer.rank(node.input(0)), node.real("epsilon", _SMALL_EPSILON)
    if rank is None:
        TrailingAxes(writer, total, -1, epsilon).rms_norm(out, scale, None)
    else:
        _rms_norm(writer, total, scale, out, epsilon, rank - 1)


@onnx_op("com.microsoft.EmbedLayerNormalization")
def embed_layer_norm(node: OnnxNode, writer: BlockWriter) -> None:
    """`layer_norm` of the sum of word, position and segment embeddings; MaskIndex counts the mask's ones."""
    words, segments = node.input(0), node.optional(1)
    total = writer.binary("elementwise_add", _rows(writer, node.input(2), words), _positions(node, writer))
    if segments is not None:
        total = writer.binary("elementwise_add", total, _rows(writer, node.input(4), segments))
    if node.optional_output(2):
        writer.unary("assign", total, out=node.output(2))
    writer.emit(
        "layer_norm",
        {"X": total, "Scale": node.input(5), "Bias": node.input(6)},
        {"Y": node.output()},
        {"epsilon": node.real("epsilon", _SMALL_EPSILON), "begin_norm_axis": 2},
    )
    if node.optional_output(1):
        _mask_index(node, writer)


def _positions(node: OnnxNode, writer: BlockWriter) -> str:
    """The position embeddings ``[batch or 1, rows, size]`` of the node's position ids, or of 0, 1, …"""
    table, ids = node.input(3), node.optional(8)
    if ids is not None:
        return _rows(writer, table, ids)
    zero, one = (writer.weight(np.array([n], np.int32), table) for n in (0, 1))
    length = writer.new_name(table)
    sizes = writer.shape_of(node.input(0))
    attrs: dict[str, AttrValue] = {"axes": [0], "starts": [1], "ends": [2]}
    writer.emit("slice", {"Input": sizes}, {"Out": length}, attrs)
    numbers = writer.new_name(table)
    writer.emit("range", {"Start": zero, "End": length, "Step": one}, {"Out": numbers})
    return writer.unary("unsqueeze2", _rows(writer, table, numbers), {"axes": [0]})


def _rows(writer: BlockWriter, table: str, ids: str) -> str:
    out = writer.new_name(table)
    writer.emit("lookup_table_v2", {"W": table, "Ids": ids}, {"Out": out})
    return out


def _mask_index(node: OnnxNode, writer: BlockWriter) -> None:
    mask = node.optional(7)
    source = node.input(0) if mask is None else mask
    attrs: dict[str, AttrValue] = {"dim": [1]}
    if mask is None:
        source = writer.unary("scale", source, {"scale": 0.0})
    counts = writer.unary("reduce_sum", source, attrs)
    writer.cast(counts, DType.INT32, node.output(1))


def _total(node: OnnxNode, writer: BlockWriter, bias: str | None) -> str:
    """input + skip + bias, which is output 3."""
    total = writer.binary("elementwise_add", node.input(0), node.input(1))
    if bias is not None:
        total = writer.binary("elementwise_add", total, bias)
    if node.optional_output(3):
        writer.unary("assign", total, out=node.output(3))
    return total


def _rms_norm(writer: BlockWriter, x: str, scale: str, out: str, epsilon: float, axis: int) -> None:
    attrs: dict[str, AttrValue] = {"epsilon": epsilon, "begin_norm_axis": axis}
    writer.emit("rms_norm", {"X": x, "Scale": scale}, {"Y": out}, attrs)


def _no_statistics(node: OnnxNode, positions: tuple[int, ...]) -> None:
    """Raise `ModelParseError` for outputs that ONNX Runtime only writes when it trains."""
    for position in positions:
        if node.optional_output(position):
            raise node.error(
                f"output {position} ({node.output(position)!r}) is only computed in training; remove it"
            )
