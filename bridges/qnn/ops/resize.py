"""trilinear_interp_v2, resize: the HTP resizes two axes of an image."""

from __future__ import annotations

from lite.emission.onnx.bridging import Declined, limits
from lite.plugin.device import BridgeOp


@limits("qnn", "trilinear_interp_v2", "resize")
def two_axes(op: BridgeOp) -> None:
    """X has at most 4 dimensions."""
    if op["X"].rank > 4:
        raise Declined(f"X is {op['X']}; the HTP resizes images of at most 4 dimensions")
