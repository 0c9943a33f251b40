"""Normalisations, and Softmax, LogSoftmax and Hardmax."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import is_known
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.norm_formulas import Affine, TrailingAxes
from lite.model_parser.onnx.translations import onnx_op

_PER_CHANNEL = 21
"""The first opset in which GroupNormalization has a scale and bias per channel, not per group."""

_SOFTMAX = {"Hardmax": "hardmax", "LogSoftmax": "log_softmax", "Softmax": "softmax"}


@onnx_op("BatchNormalization")
def batch_norm(node: OnnxNode, writer: BlockWriter) -> None:
    """`batch_norm`; with training_mode, by the statistics of the batch, which update the running ones."""
    x, mean, variance = node.input(0), node.input(3), node.input(4)
    training = node.integer("training_mode", 0) and node.opset >= 14
    if training:
        rank = writer.known_rank(x)
        dims: dict[str, AttrValue] = {"dim": [axis for axis in range(rank) if axis != 1]}
        batch_mean = writer.unary("reduce_mean", x, dims)
        broadcast_mean = writer.unary("reduce_mean", x, {**dims, "keep_dim": True})
        squares = writer.unary("square", writer.binary("elementwise_sub", x, broadcast_mean))
        batch_variance = writer.unary("reduce_mean", squares, dims)
        momentum = node.real("momentum", 0.9)
        for position, running, batch in ((1, mean, batch_mean), (2, variance, batch_variance)):
            out = node.optional_output(position)
            if out is not None:
                running = writer.unary("scale", running, {"scale": momentum})
                batch = writer.unary("scale", batch, {"scale": 1 - momentum})
                writer.binary("elementwise_add", running, batch, out=out)
        mean, variance = batch_mean, batch_variance
    writer.emit(
        "batch_norm",
        {"X": x, "Scale": node.input(1), "Bias": node.input(2), "Mean": mean, "Variance": variance},
        {"Y": node.output()},
        {"epsilon": node.real("epsilon", 1e-5)},
    )


@onnx_op("InstanceNormalization")
def instance_norm(node: OnnxNode, writer: BlockWriter) -> None:
    """`instance_norm`."""
    writer.emit(
        "instance_norm",
        {"X": node.input(0), "Scale": node.input(1), "Bias": node.input(2)},
        {"Y": node.output()},
        {"epsilon": node.real("epsilon", 1e-5)},
    )


@onnx_op("GroupNormalization")
def group_norm(node: OnnxNode, writer: BlockWriter) -> None:
    """`group_norm`, whose scale and bias are per channel."""
    groups = node.integer("num_groups", 0)
    scale, bias = node.input(1), node.input(2)
    if node.opset < _PER_CHANNEL:
        shape = writer.shape(node.input(0))
        channels = None if shape is None or len(shape) < 2 else shape[1]
        if not isinstance(channels, int) or groups < 1:
            _group_norm_per_group(node, writer, groups)
            return
        scale, bias = (_per_channel(writer, name, channels, groups) for name in (scale, bias))
    writer.emit(
        "group_norm",
        {"X": node.input(0), "Scale": scale, "Bias": bias},
        {"Y": node.output()},
        {"epsilon": node.real("epsilon", 1e-5), "groups": groups},
    )


def _group_norm_per_group(node: OnnxNode, writer: BlockWriter, groups: int) -> None:
    """`group_norm` of an unknown number of channels, then scale and bias of each group."""
    x, out = node.input(0), node.output()
    normalised = writer.new_name(out)
    attrs = {"epsilon": node.real("epsilon", 1e-5), "groups": groups}
    writer.emit("group_norm", {"X": x}, {"Y": normalised}, attrs)
    grouped = writer.unary("reshape2", normalised, {"shape": [0, groups, -1]})
    scale, bias = (writer.unary("unsqueeze2", node.input(n), {"axes": [1]}) for n in (1, 2))
    scaled = writer.binary("elementwise_mul", grouped, scale)
    shifted = writer.binary("elementwise_add", scaled, bias)
    writer.emit("reshape2", {"X": shifted, "Shape": writer.shape_of(x)}, {"Out": out})


def _per_channel(writer: BlockWriter, name: str, channels: int, groups: int) -> str:
    array = writer.constant(name)
    if array is not None:
        return writer.weight(np.repeat(array, channels // groups), name)
    columns = writer.unary("unsqueeze2", name, {"axes": [1]})
    repeated = writer.unary("tile", columns, {"repeat_times": [1, channels // groups]})
    return writer.unary("reshape2", repeated, {"shape": [channels]})


@onnx_op("LayerNormalization")
def layer_norm(node: OnnxNode, writer: BlockWriter) -> None:
    """`layer_norm`, with more ops for a broadcast scale or bias and for the outputs Mean and InvStdDev."""
    x = node.input(0)
    rank, epsilon = writer.rank(x), node.real("epsilon", 1e-5)
    if rank is None:
        affine = Affine(node.input(1), node.optional(2))
        axes = TrailingAxes(writer, x, node.integer("axis", -1), epsilon)
        axes.layer_norm(node.output(), affine, node.optional_output(1), node.optional_output(2))
        return
    axis = _axis(node, rank)
    mean, inverse = node.optional_output(1), node.optional_output(2)
    if mean or inverse:
        TrailingAxes(writer, x, axis - rank, epsilon).statistics(mean, inverse)
    scale, bias, out = node.input(1), node.optional(2), node.output()
    attrs: dict[str, AttrValue] = {"epsilon": epsilon, "begin_norm_axis": axis}
    if _is_full(writer, scale, x, axis) and (bias is None or _is_full(writer, bias, x, axis)):
        writer.emit("layer_norm", {"X": x, "Scale": scale, "Bias": bias}, {"Y": out}, attrs)
        return
    normalised = writer.new_name(out)
    writer.emit("layer_norm", {"X": x}, {"Y": normalised}, attrs)
    scaled = out if bias is None else writer.new_name(out)
    writer.binary("elementwise_mul", normalised, scale, out=scaled)
    if bias is not None:
        writer.binary("elementwise_add", scaled, bias, out=out)


@onnx_op("RMSNormalization")
def rms_norm(node: OnnxNode, writer: BlockWriter) -> None:
    """`rms_norm`."""
    x, scale, out = node.input(0), node.input(1), node.output()
    rank, epsilon = writer.rank(x), node.real("epsilon", 1e-5)
    if rank is None:
        TrailingAxes(writer, x, node.integer("axis", -1), epsilon).rms_norm(out, scale, None)
        return
    attrs: dict[str, AttrValue] = {"epsilon": epsilon, "begin_norm_axis": _axis(node, rank)}
    writer.emit("rms_norm", {"X": x, "Scale": scale}, {"Y": out}, attrs)


@onnx_op("LpNormalization")
def lp_normalization(node: OnnxNode, writer: BlockWriter) -> None:
    """`lp_normalize`."""
    writer.unary(
        "lp_normalize",
        node.input(0),
        {"axis": node.integer("axis", -1), "porder": node.integer("p", 2)},
        node.output(),
    )


@onnx_op("MeanVarianceNormalization")
def mean_variance_normalization(node: OnnxNode, writer: BlockWriter) -> None:
    """``(X − mean) / (standard deviation + 1e-9)``."""
    rank = writer.rank(node.input(0))
    # ONNX Runtime ignores default axes that the input lacks.
    default = [axis for axis in (0, 2, 3) if rank is None or axis < rank]
    dims: dict[str, AttrValue] = {"dim": node.integers("axes") or [*default], "keep_dim": True}
    deviation = writer.binary(
        "elementwise_sub", node.input(0), writer.unary("reduce_mean", node.input(0), dims)
    )
    variance = writer.unary("reduce_mean", writer.unary("square", deviation), dims)
    root = writer.unary("scale", writer.unary("sqrt", variance), {"bias": 1e-9})
    writer.binary("elementwise_div", deviation, root, out=node.output())


@onnx_op("LRN")
def lrn(node: OnnxNode, writer: BlockWriter) -> None:
    """`lrn`, whose alpha is ONNX's divided by the size."""
    size = node.integer("size", 0)
    if size < 1 or writer.rank(node.input(0)) not in (None, 4):
        raise node.error(f"expected a size (got {size}) and an input [N, C, H, W]")
    writer.emit(
        "lrn",
        {"X": node.input(0)},
        {"Out": node.output()},
        {
            "n": size,
            "k": node.real("bias", 1.0),
            "alpha": node.real("alpha", 1e-4) / size,
            "beta": node.real("beta", 0.75),
        },
    )


def _is_full(writer: BlockWriter, name: str, x: str, axis: int) -> bool:
    """Whether a value has the shape of the normalised axes of `x`, without broadcasting."""
    shape, normalized = writer.shape(name), (writer.shape(x) or ())[axis:]
    return shape is not None and len(normalized) > 0 and tuple(shape) == tuple(normalized)


def _axis(node: OnnxNode, rank: int) -> int:
    axis = node.integer("axis", -1)
    return axis + rank if axis < 0 else axis


@onnx_op(*_SOFTMAX)
def softmax(node: OnnxNode, writer: BlockWriter) -> None:
    """`softmax`, `log_softmax` or `hardmax`.

    Before opset 13, the op spans all axes from `axis` on: the tensor is flattened for it.
    """
    op, source = _SOFTMAX[node.op], node.input(0)
    if node.opset >= 13:
        writer.unary(op, source, {"axis": node.integer("axis", -1)}, node.output())
        return
    axis, rank = node.integer("axis", 1), writer.rank(source)
    if axis == -1 or (rank is not None and axis == rank - 1):
        writer.unary(op, source, {"axis": -1}, node.output())
        return
    rows = writer.unary(op, writer.unary("flatten2", source, {"axis": axis}), {"axis": -1})
    shape = writer.shape(source)
    if is_known(shape) and shape is not None:
        writer.unary(
            "reshape2", rows, {"shape": [dim for dim in shape if isinstance(dim, int)]}, node.output()
        )
        return
    writer.emit("reshape2", {"X": rows, "Shape": writer.shape_of(source)}, {"Out": node.output()})
