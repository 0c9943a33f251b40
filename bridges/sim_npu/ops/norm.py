"""batch_norm, affine_channel → SCALE_SHIFT; layer_norm → LAYER_NORM; softmax → SOFTMAX.

float32 of rank 1 to 5.  SCALE_SHIFT takes constants float32[C], computed here, for channels on axis 1;
batch_norm takes stored statistics.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.limits import static_shape, why_not_computed, why_not_tensors
from lite.ir.types import Array
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("sim_npu", "batch_norm", "affine_channel")
class ScaleShift:
    """X float32[N, C, …] → SCALE_SHIFT; all other inputs are constants."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_scale_shift(op)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        factor, shift = scale_and_shift(op)
        constants = [ctx.builder.constant("scale", factor), ctx.builder.constant("shift", shift)]
        ctx.output(op, ctx.builder.add("SCALE_SHIFT", ctx.input(op, "X"), *constants))


def why_not_scale_shift(op: BridgeOp) -> str | None:
    """Why the device cannot run this normalisation; None when it can."""
    if op.op == "batch_norm" and _is_training(op):
        return "it computes the statistics of its batch; the device takes constants"
    reason = why_not_computed(op, "Scale", "Bias", "Mean", "Variance")
    if reason is not None:
        return reason
    x = op["X"]
    if x.shape is not None and x.rank == 1:
        return f"X is {x}; the device has channels on axis 1"
    if op.text("data_layout") not in ("NCHW", "AnyLayout") and not (x.shape is not None and x.rank == 2):
        return f"the layout is {op.text('data_layout')}; the device has channels on axis 1"
    return why_not_tensors(op, "X", "Scale", "Bias", "Mean", "Variance")


def _is_training(op: BridgeOp) -> bool:
    return not op.flag("use_global_stats") and (not op.flag("is_test") or op.flag("trainable_statistics"))


def scale_and_shift(op: BridgeOp) -> tuple[Array, Array]:
    """The factor and the shift of each channel, float32[C] both, computed in float64."""
    scale, bias = op.constant("Scale"), op.constant("Bias")
    mean, variance = op.constant("Mean"), op.constant("Variance")
    if mean is None or variance is None:
        mean, variance, epsilon = np.zeros(1), np.ones(1), 0.0
    else:
        epsilon = op.real("epsilon")
    factor = 1 / np.sqrt(variance.astype(np.float64) + epsilon) * (1.0 if scale is None else scale)
    shift = (0.0 if bias is None else bias) - mean * factor
    return factor.astype(np.float32).reshape(-1), shift.astype(np.float32).reshape(-1)


@bridge("sim_npu", "layer_norm")
class LayerNorm:
    """X → LAYER_NORM, which computes Y only; a missing Scale is ones, a missing Bias zeros."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, "X", "Scale", "Bias")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        axis, builder = op.integer("begin_norm_axis"), ctx.builder
        count = math.prod(static_shape(op["X"])[axis:])
        gamma, beta = (
            builder.constant(slot, np.full(count, default, np.float32))
            if op.get(slot) is None
            else builder.reshape(ctx.input(op, slot), [count])
            for slot, default in (("Scale", 1), ("Bias", 0))
        )
        x = ctx.input(op, "X")
        ctx.output(op, builder.add("LAYER_NORM", x, gamma, beta, axis=axis, epsilon=op.real("epsilon")))


@bridge("sim_npu", "softmax")
class Softmax:
    """X → SOFTMAX along one axis."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, "X")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        axis = op["X"].axis(op.integer("axis"))
        ctx.output(op, ctx.builder.add("SOFTMAX", ctx.input(op, "X"), axis=axis))
