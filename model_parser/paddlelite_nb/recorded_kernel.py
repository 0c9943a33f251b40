"""The kernel that Paddle-Lite's ``opt`` chose for an op, which the op records as a string."""

from __future__ import annotations

from typing import NamedTuple

from lite.ir.program import Op

ATTRIBUTE = "__@kernel_type_attr@__"
"""The name of the attribute: ``conv2d/int8_out/4/2/1`` is op, alias, target, element type and layout."""

_INT8 = "2"


class RecordedKernel(NamedTuple):
    """`alias` tells kernels of one op apart; `is_int8`: it computes on quantised numbers."""

    alias: str
    is_int8: bool


def recorded_kernel(op: Op) -> RecordedKernel:
    """The kernel that the op records; without a record its attribute `enable_int8` decides."""
    parts = str(op.attr(ATTRIBUTE) or "").split("/")
    if len(parts) != 5:
        return RecordedKernel("", bool(op.attr("enable_int8")))
    return RecordedKernel(parts[1], parts[3] == _INT8)
