"""The activations that a convolution or a fully connected layer applies for free: none, RELU, RELU6."""

from __future__ import annotations

from lite.plugin.device import BridgeOp

FREE = {"": "NONE", "relu": "RELU", "relu6": "RELU6"}
"""The SDK's names, by op."""


def why_not_activation(op: BridgeOp) -> str | None:
    """Why the device cannot apply an op's own activation; None when it can."""
    name = op.text("activation")
    if name not in FREE:
        return f"{name} is fused into it; the device fuses relu and relu6"
    bounds = op.reals("activation_params")
    if name == "relu6" and bounds not in ([], [6.0]):
        return f"relu6 up to {bounds[0]} is fused into it; the device's RELU6 ends at 6"
    return None
