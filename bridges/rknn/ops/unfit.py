"""Ops that RKNN-Toolkit2 2.5.0 supports as nodes, but whose graphs it fails to build or never finishes."""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import limits
from lite.plugin.device import BridgeOp


@limits("rknn", "temporal_shift", "bicubic_interp_v2", "linear_interp_v2", "trilinear_interp_v2", "resize")
def unfit(op: BridgeOp) -> None:
    """Raise `Declined` for every such op."""
    raise Declined(f"RKNN-Toolkit2 2.5.0 does not build {op.op}")
