"""Ops of com.microsoft that are those of ONNX, or a few of them."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op, translate

_OPSETS = {
    "com.microsoft.GatherND": 12,
    "com.microsoft.GridSample": 16,
    "com.microsoft.Pad": 13,
    "com.microsoft.Range": 11,
    "com.microsoft.Trilu": 14,
}
"""The opset of ONNX whose op of that name is the same."""


@onnx_op(*_OPSETS)
def same_as_onnx(node: OnnxNode, writer: BlockWriter) -> None:
    """ONNX's op of that name."""
    op = node.as_op(node.op.rpartition(".")[2], node.inputs, node.outputs, _OPSETS[node.op])
    translate(op, writer)


@onnx_op("com.microsoft.Unique")
def unique(node: OnnxNode, writer: BlockWriter) -> None:
    """`unique_with_counts`: distinct elements by first appearance, the index of each element, and counts."""
    x, slots = node.input(0), ("Out", "Index", "Count")
    outputs = {slot: node.optional_output(n) or writer.new_name(x) for n, slot in enumerate(slots)}
    writer.emit("unique_with_counts", {"X": x}, outputs, {"dtype": DType.INT64.code})


@onnx_op("com.microsoft.ExpandDims")
def expand_dims(node: OnnxNode, writer: BlockWriter) -> None:
    """Unsqueeze of one axis, a number."""
    axis = writer.unary("reshape2", node.input(1), {"shape": [1]})
    axes = writer.cast(axis, DType.INT64)
    translate(node.as_op("Unsqueeze", [node.input(0), axes], node.outputs, 13), writer)


@onnx_op("com.microsoft.Inverse")
def inverse(node: OnnxNode, writer: BlockWriter) -> None:
    """`inverse` of the last two axes."""
    writer.emit("inverse", {"Input": node.input(0)}, {"Output": node.output()})


@onnx_op("com.microsoft.CDist")
def pairwise_distances(node: OnnxNode, writer: BlockWriter) -> None:
    """The distance, or its square, of each row of A from each row of B."""
    metric = node.string("metric", "sqeuclidean")
    if metric not in ("sqeuclidean", "euclidean"):
        raise node.error(f"metric: expected sqeuclidean or euclidean, got {metric!r}")
    rows, columns = (
        writer.unary("unsqueeze2", node.input(n), {"axes": [axis]}) for n, axis in ((0, 1), (1, 0))
    )
    squares = writer.unary("square", writer.binary("elementwise_sub", rows, columns))
    total: dict[str, AttrValue] = {"dim": [-1], "keep_dim": False}
    if metric == "sqeuclidean":
        writer.unary("reduce_sum", squares, total, node.output())
    else:
        writer.unary("sqrt", writer.unary("reduce_sum", squares, total), out=node.output())


@onnx_op("com.microsoft.ScaledSiLU")
def scaled_silu(node: OnnxNode, writer: BlockWriter) -> None:
    """``z · sigmoid(z)`` of ``z = scale · X``; the scale is an input or the attribute alpha."""
    x, scale = node.input(0), node.optional(1)
    if scale is None:
        scale = writer.weight(np.asarray(node.real("alpha", 1.0), writer.dtype(x).numpy), x)
    else:
        scale = writer.cast(scale, writer.dtype(x))
    writer.unary("swish", writer.binary("elementwise_mul", x, scale), {"beta": 1.0}, node.output())


@onnx_op("com.microsoft.GatedRMSNorm")
def gated_rms_norm(node: OnnxNode, writer: BlockWriter) -> None:
    """X over the root of its mean square, times scale and the activated gate, for each part of a row."""
    kind = node.string("activation", "silu")
    if kind not in ("silu", "swish", "sigmoid"):
        raise node.error(f"activation: expected silu, swish or sigmoid, got {kind!r}")
    x, scale, gate = (writer.cast(node.input(n), DType.FLOAT32) for n in range(3))
    columns = (writer.shape(node.input(1)) or (None,))[-1]
    if not isinstance(columns, int):
        raise node.error("the size of scale is unknown; add its shape to the model")
    parts = writer.unary("reshape2", x, {"shape": [-1, columns]})
    squares = writer.unary("square", parts)
    mean = writer.unary("reduce_mean", squares, {"dim": [-1], "keep_dim": True})
    root = writer.unary("rsqrt", writer.unary("scale", mean, {"bias": node.real("epsilon", 1e-5)}))
    scaled = writer.binary("elementwise_mul", writer.binary("elementwise_mul", parts, root), scale)
    opened = writer.unary("sigmoid" if kind == "sigmoid" else "swish", gate)
    gates = writer.unary("reshape2", opened, {"shape": [-1, columns]})
    gated = writer.binary("elementwise_mul", scaled, gates)
    out, shape = writer.new_name(node.output()), writer.shape_of(node.input(0))
    writer.emit("reshape2", {"X": gated, "Shape": shape}, {"Out": out})
    writer.cast(out, writer.dtype(node.input(0)), node.output())
