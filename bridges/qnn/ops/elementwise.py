"""elementwise_floordiv: a quotient in float16 may be just below the integer that it should be.

elementwise_max, elementwise_min and clipped boxes: the HTP compares tensors of at most 4 dimensions.
"""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import limits
from lite.plugin.device import BridgeOp


@limits("qnn", "elementwise_floordiv")
def no_floor_of_quotients(op: BridgeOp) -> None:
    """No floor of a rounded quotient."""
    raise Declined(f"X is {op['X']}; a quotient rounded to float16 may have another floor")


@limits("qnn", "elementwise_max", "elementwise_min")
def four_dimensions(op: BridgeOp) -> None:
    """Out has at most 4 dimensions."""
    if max(op["X"].rank, op["Y"].rank) > 4:
        raise Declined(f"Out is {op.output()}; the HTP compares tensors of at most 4 dimensions")


@limits("qnn", "yolo_box")
def unclipped_boxes(op: BridgeOp) -> None:
    """Clipping compares tensors of 5 dimensions."""
    if op.flag("clip_bbox"):
        raise Declined("clip_bbox compares tensors of 5 dimensions; the HTP takes at most 4")
