"""Ops that RKNN-Toolkit2 2.5.0 supports as nodes, but whose graphs it fails to build or never finishes."""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import limits
from lite.plugin.device import BridgeOp


@limits("rknn", "temporal_shift", "bicubic_interp_v2", "linear_interp_v2", "trilinear_interp_v2", "resize")
def unfit(op: BridgeOp) -> None:
    """Raise `Declined` for every such op."""
    raise Declined(f"RKNN-Toolkit2 2.5.0 does not build {op.op}")


@limits("rknn", "elementwise_pow")
def short_base(op: BridgeOp) -> None:
    """Raise `Declined` for a base that is broadcast to further axes."""
    if op["X"].rank < op["Y"].rank:
        raise Declined(f"X is {op['X']} and Y is {op['Y']}; RKNN-Toolkit2 2.5.0 builds no such Pow")


@limits("rknn", "attention")
def constant_keys(op: BridgeOp) -> None:
    """Raise `Declined` for constant keys and values."""
    if op.constant("K") is not None and op.constant("V") is not None:
        raise Declined("K and V are constants; RKNN-Toolkit2 2.5.0 builds no such attention")
