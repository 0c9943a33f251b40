"""Activations that a convolution or a fully connected layer applies for free: none, RELU, RELU6."""

from __future__ import annotations

from lite.plugin.bridge_op import BridgeOp

_FREE = {"": "NONE", "relu": "RELU", "relu6": "RELU6"}


def fused_activation(op: BridgeOp) -> str:
    """What the SDK calls the activation that is part of an op; call `why_not_activation` first."""
    return _FREE[_named(op)]


def why_not_activation(op: BridgeOp) -> str | None:
    """Why the device cannot apply an op's own activation; None when it can."""
    if _named(op) not in _FREE:
        return f"{_named(op)} is fused into it; the device fuses relu and relu6"
    limits = op.reals("activation_params")
    if _named(op) == "relu6" and limits not in ([], [6.0]):
        return f"relu6 up to {limits[0]} is fused into it; the device's ends at 6"
    return None


def _named(op: BridgeOp) -> str:
    if op.op == "fc":
        return op.text("activation") or op.text("activation_type")
    return op.text("activation") or op.text("fuse_activation") or ("relu" if op.flag("fuse_relu") else "")
