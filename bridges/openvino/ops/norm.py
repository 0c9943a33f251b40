"""Normalisations."""

from __future__ import annotations

import numpy as np

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.ops.activation import activated, unknown_activation
from lite.bridges.openvino.ops.layout import channels_back, channels_first, per_channel
from lite.bridges.openvino.row import Row
from lite.bridges.openvino.support import same_dtype
from lite.ops.window import channels, is_channel_last
from lite.plugin.device import BridgeOp, bridge


def _why_not_batch(op: BridgeOp) -> str | None:
    if not op.flag("use_global_stats") and (not op.flag("is_test") or op.flag("trainable_statistics")):
        return "it takes mean and variance of the batch (is_test=false); OpenVINO takes given ones"
    return same_dtype(op, *op.node.inputs)


def _batch_norm(
    b: Builder,
    op: BridgeOp,
    x: Tensor,
    scale: Tensor | None,
    bias: Tensor | None,
    mean: Tensor,
    variance: Tensor,
) -> Tensor:
    scale = b.like(1, x) if scale is None else scale
    bias = b.like(0, x) if bias is None else bias
    rank, last = op["X"].rank, is_channel_last(op.text("data_layout"))
    x = channels_first(b, x, rank, last=last)
    scale, bias = (b.op.broadcast(vector, b.sizes(mean)) for vector in (scale, bias))
    normed = b.op.batch_norm_inference(x, scale, bias, mean, variance, op.real("epsilon"))
    return channels_back(b, normed.output(0), rank, last=last)


def _standardized(b: Builder, x: Tensor, axes: range, epsilon: float) -> Tensor:
    return b.op.mvn(x, b.ints(axes), True, epsilon, "inside_sqrt")


def _why_not_layer(op: BridgeOp) -> str | None:
    normed = op["X"].dims[op.integer("begin_norm_axis") :]
    scaled = op.get("Scale") is not None or op.get("Bias") is not None
    if scaled and len(normed) > 1 and any(isinstance(dim, str) for dim in normed[1:]):
        return f"the sizes behind axis {op.integer('begin_norm_axis')} must be known, X is {op['X']}"
    return same_dtype(op, *op.node.inputs)


def _layer_norm(b: Builder, op: BridgeOp, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Tensor:
    axis, dims = op.integer("begin_norm_axis"), op["X"].dims
    result = _standardized(b, x, range(axis, len(dims)), op.real("epsilon"))
    shape = [-1, *(int(dim) for dim in dims[axis + 1 :])] if scale is not None or bias is not None else []
    if scale is not None:
        result = b.op.multiply(result, b.reshape(scale, shape))
    return result if bias is None else b.op.add(result, b.reshape(bias, shape))


def _why_not_group(op: BridgeOp) -> str | None:
    if not isinstance(channels(op.text("data_layout"), op["X"].dims), int):
        return f"the number of channels must be known, X is {op['X']}"
    return same_dtype(op, *op.node.inputs)


def _group_norm(b: Builder, op: BridgeOp, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Tensor:
    rank, last = op["X"].rank, is_channel_last(op.text("data_layout"))
    count = channels(op.text("data_layout"), op["X"].dims)
    ones, zeros = (b.op.broadcast(b.like(number, x), b.ints([int(count)])) for number in (1, 0))
    x = channels_first(b, x, rank, last=last)
    normed = b.op.group_normalization(
        x,
        ones if scale is None else scale,
        zeros if bias is None else bias,
        op.integer("groups"),
        op.real("epsilon"),
    )
    return channels_back(b, normed.output(0), rank, last=last)


def _why_not_instance(op: BridgeOp) -> str | None:
    if op["X"].rank < 3:
        return f"X is {op['X']}: each channel is one number"
    return same_dtype(op, *op.node.inputs) or unknown_activation(op.text("activation"))


def _instance_norm(b: Builder, op: BridgeOp, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Tensor:
    rank = op["X"].rank
    result = _standardized(b, x, range(2, rank), op.real("epsilon"))
    if scale is not None:
        result = b.op.multiply(result, per_channel(b, scale, rank))
    if bias is not None:
        result = b.op.add(result, per_channel(b, bias, rank))
    return activated(b, op.text("activation"), result, op.reals("activation_params"))


def _affine_channel(b: Builder, op: BridgeOp, x: Tensor, scale: Tensor, bias: Tensor) -> Tensor:
    rank = op["X"].rank
    if not is_channel_last(op.text("data_layout")):
        scale, bias = (per_channel(b, b.reshape(vector, [-1]), rank) for vector in (scale, bias))
    return b.op.add(b.op.multiply(x, scale), bias)


def _lrn(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """OpenVINO divides alpha by the number of neighbours, and its CPU plugin takes any bias for 1."""
    size, last = op.integer("n"), is_channel_last(op.text("data_format"))
    k, beta = op.real("k"), op.real("beta")
    x = channels_first(b, x, 4, last=last)
    normed = b.op.lrn(x, b.ints([1]), op.real("alpha") * size / k, beta, 1.0, size).output(0)
    if k != 1:
        normed = b.op.multiply(normed, b.like(k**-beta, x))
    return channels_back(b, normed, 4, last=last)


def _why_not_lrn(op: BridgeOp) -> str | None:
    if op.integer("n") % 2 == 0:
        return f"n is {op.integer('n')}, expected an odd number of neighbours"
    return None if op.real("k") > 0 else f"k is {op.real('k')}, expected more than 0"


def _length(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """x divided by its length along an axis."""
    axis = b.ints([op["X"].axis(op.integer("axis"))])
    squares = b.op.reduce_sum(b.op.multiply(x, x), axis, keep_dims=True)
    return b.op.divide(x, b.op.sqrt(b.op.add(squares, b.like(op.real("epsilon"), x))))


def _p_norm(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    order, keep = op.real("porder"), op.flag("keepdim")
    axes = range(op["X"].rank) if op.flag("asvector") else [op["X"].axis(op.integer("axis"))]
    size, over = b.op.abs(x), b.ints(list(axes))
    if np.isinf(order):
        reduce = b.op.reduce_max if order > 0 else b.op.reduce_min
        return reduce(size, over, keep)
    if order == 0:
        nonzero = b.op.convert_like(b.op.not_equal(x, b.like(0, x)), x)
        return b.op.reduce_sum(nonzero, over, keep)
    if order == 1:
        return b.op.reduce_sum(size, over, keep)
    powers = b.op.multiply(x, x) if order == 2 else b.op.power(size, b.like(order, x))
    total = b.op.reduce_sum(powers, over, keep)
    return b.op.sqrt(total) if order == 2 else b.op.power(total, b.like(1 / order, x))


def _rms_norm(b: Builder, op: BridgeOp, x: Tensor, scale: Tensor | None) -> Tensor:
    axes = b.ints(range(op["X"].axis(op.integer("begin_norm_axis")), op["X"].rank))
    mean = b.op.reduce_mean(b.op.multiply(x, x), axes, keep_dims=True)
    normed = b.op.divide(x, b.op.sqrt(b.op.add(mean, b.like(op.real("epsilon"), x))))
    return normed if scale is None else b.op.multiply(normed, scale)


bridge("openvino", "batch_norm")(Row("X Scale? Bias? Mean Variance", _batch_norm, why=_why_not_batch))
bridge("openvino", "layer_norm")(Row("X Scale? Bias?", _layer_norm, why=_why_not_layer))
bridge("openvino", "group_norm")(Row("X Scale? Bias?", _group_norm, why=_why_not_group))
bridge("openvino", "instance_norm")(Row("X Scale? Bias?", _instance_norm, why=_why_not_instance))
bridge("openvino", "affine_channel")(Row("X Scale Bias", _affine_channel, alike=True))
bridge("openvino", "lrn")(Row("X", _lrn, why=_why_not_lrn))
bridge("openvino", "norm")(Row("X", _length))
bridge("openvino", "p_norm")(Row("X", _p_norm))
bridge("openvino", "rms_norm")(Row("X Scale?", _rms_norm, alike=True))
