"""conv2d, a bias, batch_norm, relu or relu6 → one CONV_2D, which computes all of them.

The bias and the normalisation are folded into the constants; the activation is an attribute.  The bridge
receives the last op of the group as `op`, and the others in `op.captures`, by their names in the pattern.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.fused_activation import FREE
from lite.bridges.sim_npu.limits import why_not_tensors
from lite.bridges.sim_npu.ops.convolution import add_conv, why_not_conv
from lite.bridges.sim_npu.ops.norm import scale_and_shift, why_not_scale_shift
from lite.ir.types import Array
from lite.ops.broadcast import aligned
from lite.plugin.device import BridgeOp, Device, bridge
from lite.plugin.pattern import Composite, Pattern, is_constant, is_op, wildcard


def _add(x: Pattern) -> Pattern:
    return is_op("elementwise_add")(X=x, Y=is_constant()).named("add")


def _norm(x: Pattern) -> Pattern:
    return is_op("batch_norm")(X=x).named("norm")


def activation(x: Pattern) -> Pattern:
    """An activation that the device applies for free."""
    return (is_op("relu")(X=x) | is_op("relu6")(X=x).has_attr(threshold=6.0)).named("activation")


_CONV = is_op("conv2d")(Input=wildcard(), Filter=is_constant()).named("conv")
_BIASED = _CONV.optional(_add)

FUSED_CONV = Composite("sim_npu.conv", activation(_BIASED.optional(_norm)) | _norm(_BIASED) | _add(_CONV))


@bridge("sim_npu", "sim_npu.conv")
class FusedConv:
    """The group → CONV_2D; what is added has one number per channel of float32[N, C, H, W]."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        conv = op.captures["conv"]
        if conv.text("activation"):
            return (
                f"the convolution ends with {conv.text('activation')}; the device adds the bias before that"
            )
        reason = why_not_conv(conv)
        if reason is None and "add" in op.captures:
            reason = _why_not_add(op.captures["add"], conv)
        if reason is None and "norm" in op.captures:
            reason = why_not_scale_shift(op.captures["norm"])
        return reason

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        conv = op.captures["conv"]
        weights, bias = conv.constant("Filter"), conv.constant("Bias")
        assert weights is not None
        bias = np.zeros(len(weights), np.float32) if bias is None else bias.reshape(-1)
        if "add" in op.captures:
            bias = bias + constant_term(op.captures["add"]).reshape(-1)
        if "norm" in op.captures:
            factor, shift = scale_and_shift(op.captures["norm"])
            weights, bias = weights * factor.reshape(-1, 1, 1, 1), bias * factor + shift
        free = FREE[op.op if "activation" in op.captures else ""]
        ctx.output(op, add_conv(conv, ctx, "CONV_2D", weights, bias, free))


def constant_term(add: BridgeOp) -> Array:
    """The constant of an addition, in slot X or Y."""
    data = add.constant("Y") if add.constant("X") is None else add.constant("X")
    assert data is not None
    return data


def _why_not_add(add: BridgeOp, conv: BridgeOp) -> str | None:
    result, term = conv.output().dims, constant_term(add)
    _, padded = aligned(result, term.shape, add.integer("axis"))
    if padded not in ((1, result[1], 1, 1), (1, 1, 1, 1)):
        return f"it adds {list(term.shape)} to {conv.output()}; the device adds one number per channel"
    return why_not_tensors(add, "X", "Y")
