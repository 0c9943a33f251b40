"""trilinear_interp_v2, resize, pool_nd, conv3d_transpose: the HTP takes images of two axes."""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import limits
from lite.plugin.device import BridgeOp


@limits("qnn", "trilinear_interp_v2", "resize", "pool_nd")
def two_axes(op: BridgeOp) -> None:
    """X has 4 dimensions."""
    if op["X"].rank != 4:
        raise Declined(f"X is {op['X']}; the HTP takes images of 4 dimensions")


@limits("qnn", "conv3d_transpose")
def no_volumes(op: BridgeOp) -> None:
    """onnxruntime-qnn 2.7.0 computes it wrongly for groups and some strides."""
    raise Declined(f"Input is {op['Input']}; the HTP transposes convolutions of images of two axes")
