"""batch_norm → a product and a sum; layer_norm, instance_norm, group_norm → LayerNorm and the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.limits import why_not_constant
from lite.bridges.tpu.ops.activation import activated, why_not_activation
from lite.bridges.tpu.row import Row
from lite.ir.types import Array
from lite.ops.schema import SCHEMAS
from lite.ops.view import product
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp, bridge


def _why_not_batch(op: BridgeOp) -> str | None:
    if not op.flag("use_global_stats") and (not op.flag("is_test") or op.flag("trainable_statistics")):
        return "it computes the statistics of its batch (is_test=false); the device takes stored ones"
    return why_not_constant(op, "Scale", "Bias", "Mean", "Variance")


def _batch_norm(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """x · a + c, with a and c computed in float64."""
    mean, variance = _vector(op, "Mean", 0.0), _vector(op, "Variance", 1.0)
    factor = _vector(op, "Scale", 1.0) / np.sqrt(variance + op.real("epsilon"))
    offset = _vector(op, "Bias", 0.0) - mean * factor
    shape = _per_channel(op["X"].rank, last=is_channel_last(op.text("data_layout")))
    return _affine(b, x, factor.reshape(shape), offset.reshape(shape))


def _vector(op: BridgeOp, slot: str, default: float) -> Array:
    constant = op.constant(slot)
    return np.full(1, default) if constant is None else constant.reshape(-1).astype(np.float64)


def _per_channel(rank: int, *, last: bool) -> list[int]:
    """The shape in which a vector of channels broadcasts against an image."""
    if rank <= 2 or last:
        return [1] * (rank - 1) + [-1]
    return [1, -1, *[1] * (rank - 2)]


def _affine(b: Builder, x: Tensor, factor: Array | None, offset: Array | None) -> Tensor:
    if factor is not None:
        x = b.lang.mul(x, b.constant("factor", factor.astype(np.float32)))
    return x if offset is None else b.lang.add(x, b.constant("offset", offset.astype(np.float32)))


def _standardized(b: Builder, x: Tensor, shape: Sequence[int], rows: Sequence[int], epsilon: float) -> Tensor:
    """`x`, of this shape, with mean 0 and variance 1 along all axes after those in `rows`."""
    count = product(list(rows)) or 1
    columns = (product(list(shape)) or 1) // count
    flat = b.shaped(x, [count, columns])
    return b.shaped(b.lang.layer_norm(flat, None, None, epsilon, 1), shape)


def _why_not_layer(op: BridgeOp) -> str | None:
    return why_not_constant(op, "Scale", "Bias")


def _layer_norm(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    axis, shape = op.integer("begin_norm_axis"), op["X"].sizes
    x = _standardized(b, x, shape, shape[:axis], op.real("epsilon"))
    scale, bias = (
        None if constant is None else constant.reshape(shape[axis:])
        for constant in (op.constant("Scale"), op.constant("Bias"))
    )
    return _affine(b, x, scale, bias)


def _why_not_channels(op: BridgeOp) -> str | None:
    if op["X"].rank < 3:
        return f"X is {op['X']}: a channel must have at least one axis"
    name = op.text("activation") if "activation" in SCHEMAS[op.op].attrs else ""
    return why_not_constant(op, "Scale", "Bias") or why_not_activation(name)


def _channels_scaled(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    shape = _per_channel(op["X"].rank, last=False)
    scale, bias = (
        None if constant is None else constant.reshape(shape)
        for constant in (op.constant("Scale"), op.constant("Bias"))
    )
    return _affine(b, x, scale, bias)


def _instance_norm(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    shape = op["X"].sizes
    x = _channels_scaled(b, op, _standardized(b, x, shape, shape[:2], op.real("epsilon")))
    return activated(b, op.text("activation"), x, op.reals("activation_params"))


def _group_norm(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    rank, last, shape = op["X"].rank, is_channel_last(op.text("data_layout")), op["X"].sizes
    x = b.channels_first(x, rank, last=last)
    first = (shape[0], shape[-1], *shape[1:-1]) if last else shape
    x = _standardized(b, x, first, (shape[0], op.integer("groups")), op.real("epsilon"))
    return b.channels_restored(_channels_scaled(b, op, x), rank, last=last)


bridge("tpu", "batch_norm")(Row("X", _batch_norm, _why_not_batch))
bridge("tpu", "layer_norm")(Row("X", _layer_norm, _why_not_layer))
bridge("tpu", "instance_norm")(Row("X", _instance_norm, _why_not_channels))
bridge("tpu", "group_norm")(Row("X", _group_norm, _why_not_channels))
