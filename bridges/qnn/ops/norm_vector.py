"""The limit of log_softmax: for an axis of size 1, onnxruntime-qnn 2.7.0 computes it along another axis."""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import limits
from lite.plugin.device import BridgeOp


@limits("qnn", "log_softmax")
def more_than_one_class(op: BridgeOp) -> None:
    """Raise `Declined` for an axis of size 1, and for a tensor of rank 0."""
    if not op["X"].rank:
        raise Declined(f"X is {op['X']}; the HTP needs at least one axis")
    size = op["X"].dims[op["X"].axis(op.integer("axis"))]
    if size == 1:
        raise Declined(f"the axis of X, {op['X']}, has size 1; the HTP takes 2 or more")
