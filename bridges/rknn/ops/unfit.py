"""Ops whose nodes RKNN-Toolkit2 2.5.0 has, but whose graphs it fails to build, or builds without an end."""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import limits
from lite.plugin.device import BridgeOp


@limits("rknn", "temporal_shift", "bicubic_interp_v2", "linear_interp_v2", "trilinear_interp_v2", "resize")
def unfit(op: BridgeOp) -> None:
    """Declines the op."""
    raise Declined(f"RKNN-Toolkit2 2.5.0 does not build {op.op}")
