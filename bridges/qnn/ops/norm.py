"""batch_norm, instance_norm: at most two spatial axes; group_norm: two; layer_norm: over the last axis."""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import limits
from lite.plugin.device import BridgeOp


@limits("qnn", "batch_norm", "instance_norm")
def two_spatial_axes(op: BridgeOp) -> None:
    """X has 2 to 4 dimensions."""
    if not 2 <= op["X"].rank <= 4:
        raise Declined(f"X is {op['X']}; the HTP normalises images of 2 to 4 dimensions")


@limits("qnn", "group_norm", "grid_sample", "grid_sampler")
def images(op: BridgeOp) -> None:
    """X has 4 dimensions."""
    if op["X"].rank != 4:
        raise Declined(f"X is {op['X']}; the HTP takes images of 4 dimensions")


@limits("qnn", "layer_norm")
def last_axis(op: BridgeOp) -> None:
    """The mean is over the last axis."""
    axes = op["X"].rank - op["X"].axis(op.integer("begin_norm_axis"))
    if axes != 1:
        raise Declined(f"it normalises over {axes} axes; the HTP normalises over the last one")
