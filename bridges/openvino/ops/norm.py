"""batch_norm, layer_norm, group_norm, instance_norm, rms_norm, affine_channel (opset 15).

They become BatchNormInference, MVN, GroupNormalization or elementary ops.  X float16 or float32 [N, C, …], or
channels last, and all inputs of that type.  batch_norm takes stored statistics; group_norm needs C,
layer_norm with Scale or Bias the sizes of the normalised axes; means and variances are not computed.
"""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import why_not_mixed_types
from lite.bridges.openvino.ops.activation import activated, why_not_activation
from lite.bridges.openvino.real_values import norm_input
from lite.bridges.openvino.row import Row
from lite.ops.window import channels, is_channel_last
from lite.plugin.device import BridgeOp, bridge


def _why_not_batch(op: BridgeOp) -> str | None:
    if not op.flag("use_global_stats") and (not op.flag("is_test") or op.flag("trainable_statistics")):
        return "it computes the statistics of its batch (is_test=false); OpenVINO takes stored ones"
    if op["X"].rank == 1:
        return f"X is {op['X']}; OpenVINO's BatchNormInference takes at least 2 axes"
    return why_not_mixed_types(op, *op.node.inputs)


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
    x = b.channels_first(x, rank, last=last)
    scale, bias = (b.op.broadcast(vector, b.sizes(mean)) for vector in (scale, bias))
    normed = b.op.batch_norm_inference(x, scale, bias, mean, variance, op.real("epsilon"))
    return b.channels_restored(normed.output(0), rank, last=last)


def _standardized(b: Builder, op: BridgeOp, x: Tensor, first: int) -> Tensor:
    """X without its mean and variance over the axes from `first` on."""
    axes = b.ints(range(first, op["X"].rank))
    return b.op.mvn(norm_input(b, op, x), axes, True, op.real("epsilon"), "inside_sqrt")


def _why_not_layer(op: BridgeOp) -> str | None:
    normed = op["X"].dims[op.integer("begin_norm_axis") :]
    scaled = op.get("Scale") is not None or op.get("Bias") is not None
    if scaled and len(normed) > 1 and any(isinstance(dim, str) for dim in normed[1:]):
        return f"X is {op['X']}: the sizes after axis {op.integer('begin_norm_axis')} must be known"
    return why_not_mixed_types(op, *op.node.inputs)


def _layer_norm(b: Builder, op: BridgeOp, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Tensor:
    axis, dims = op.integer("begin_norm_axis"), op["X"].dims
    result = _standardized(b, op, x, axis)
    shape = [-1, *(int(dim) for dim in dims[axis + 1 :])] if scale is not None or bias is not None else []
    if scale is not None:
        result = b.op.multiply(result, b.reshape(scale, shape))
    return result if bias is None else b.op.add(result, b.reshape(bias, shape))


def _why_not_group(op: BridgeOp) -> str | None:
    if not isinstance(channels(op.text("data_layout"), op["X"].dims), int):
        return f"X is {op['X']}: the number of channels must be known"
    return why_not_mixed_types(op, *op.node.inputs)


def _group_norm(b: Builder, op: BridgeOp, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Tensor:
    rank, last = op["X"].rank, is_channel_last(op.text("data_layout"))
    count = channels(op.text("data_layout"), op["X"].dims)
    ones, zeros = (b.op.broadcast(b.like(number, x), b.ints([int(count)])) for number in (1, 0))
    x = b.channels_first(x, rank, last=last)
    normed = b.op.group_normalization(
        norm_input(b, op, x),
        ones if scale is None else scale,
        zeros if bias is None else bias,
        op.integer("groups"),
        op.real("epsilon"),
    )
    return b.channels_restored(normed.output(0), rank, last=last)


def _why_not_instance(op: BridgeOp) -> str | None:
    if op["X"].rank < 3:
        return f"X is {op['X']}: a channel must have at least one axis"
    return why_not_mixed_types(op, *op.node.inputs) or why_not_activation(op.text("activation"))


def _instance_norm(b: Builder, op: BridgeOp, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Tensor:
    rank = op["X"].rank
    result = _standardized(b, op, x, 2)
    if scale is not None:
        result = b.op.multiply(result, b.per_channel(scale, rank))
    if bias is not None:
        result = b.op.add(result, b.per_channel(bias, rank))
    return activated(b, op.text("activation"), result, op.reals("activation_params"))


def _affine_channel(b: Builder, op: BridgeOp, x: Tensor, scale: Tensor, bias: Tensor) -> Tensor:
    rank = op["X"].rank
    if not is_channel_last(op.text("data_layout")):
        scale, bias = (b.per_channel(b.reshape(vector, [-1]), rank) for vector in (scale, bias))
    return b.op.add(b.op.multiply(x, scale), bias)


def _rms_norm(b: Builder, op: BridgeOp, x: Tensor, scale: Tensor | None) -> Tensor:
    axes = b.ints(range(op["X"].axis(op.integer("begin_norm_axis")), op["X"].rank))
    mean = b.op.reduce_mean(b.op.multiply(x, x), axes, keep_dims=True)
    normed = b.op.divide(x, b.op.sqrt(b.op.add(mean, b.like(op.real("epsilon"), x))))
    return normed if scale is None else b.op.multiply(normed, scale)


bridge("openvino", "batch_norm")(Row("X Scale? Bias? Mean Variance", _batch_norm, check=_why_not_batch))
bridge("openvino", "layer_norm")(Row("X Scale? Bias?", _layer_norm, check=_why_not_layer))
bridge("openvino", "group_norm")(Row("X Scale? Bias?", _group_norm, check=_why_not_group))
bridge("openvino", "instance_norm")(Row("X Scale? Bias?", _instance_norm, check=_why_not_instance))
bridge("openvino", "affine_channel")(Row("X Scale Bias", _affine_channel, one_type=True))
bridge("openvino", "rms_norm")(Row("X Scale?", _rms_norm, one_type=True))
