"""take, gather: indices below 0 count from the end, which the HTP's Gather does not know."""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import limits
from lite.plugin.device import BridgeOp


@limits("qnn", "gather", "take")
def known_indices(op: BridgeOp) -> None:
    """Indices that are not constant may be below 0."""
    if op.constant("Index") is None:
        raise Declined("Index is not constant and may have numbers below 0, which the HTP does not take")
