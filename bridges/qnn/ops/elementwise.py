"""elementwise_floordiv: a quotient in float16 may be just below the integer that it should be."""

from __future__ import annotations

from lite.emission.onnx.bridging import Declined, limits
from lite.plugin.device import BridgeOp


@limits("qnn", "elementwise_floordiv")
def no_floor_of_quotients(op: BridgeOp) -> None:
    """No floor of a rounded quotient."""
    raise Declined(f"X is {op['X']}; a quotient rounded to float16 may have another floor")
