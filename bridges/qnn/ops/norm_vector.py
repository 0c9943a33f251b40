"""log_softmax: onnxruntime-qnn 2.7.0 computes it over another axis where the axis has size 1."""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import limits
from lite.plugin.device import BridgeOp


@limits("qnn", "log_softmax")
def more_than_one_class(op: BridgeOp) -> None:
    """The size of the axis is known and above 1."""
    if not op["X"].rank:
        raise Declined(f"X is {op['X']}; the HTP takes at least one axis")
    size = op["X"].dims[op["X"].axis(op.integer("axis"))]
    if size == 1:
        raise Declined(f"the axis of X, {op['X']}, has size 1; the HTP takes 2 or more")
