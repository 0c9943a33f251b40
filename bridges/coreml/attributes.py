"""What several conversions read of an op: integers that must be known, inputs aligned by `axis`."""

from __future__ import annotations

from lite.bridges.coreml.bridging import Context, Declined, numbers
from lite.bridges.coreml.builder import Tensor
from lite.ops.broadcast import aligned
from lite.ops.shape_input import element, elements
from lite.plugin.device import BridgeOp


def require_integers(op: BridgeOp, attr: str, *slots: str) -> list[int]:
    """The integers in the first of `slots` that the op has, else in the attribute; declines unknown ones."""
    found = elements(op, attr, *slots)
    known = [number for number in found or () if number is not None]
    if found is None or len(known) < len(found):
        raise Declined(f"{attr} is a tensor ({', '.join(slots)}) whose numbers are not known")
    return known


def require_integer(op: BridgeOp, attr: str, *slots: str) -> int:
    """The same for one integer."""
    number = element(op, attr, *slots)
    if number is None:
        raise Declined(f"{attr} is a tensor ({', '.join(slots)}) whose number is not known")
    return number


def aligned_inputs(op: BridgeOp, ctx: Context) -> tuple[Tensor, Tensor]:
    """X and Y with axes of size 1 so that they broadcast from the last axis, as Paddle's `axis` says."""
    b, x, y = ctx.builder, ctx.input(op, "X"), ctx.input(op, "Y")
    if op["X"].dtype is not op["Y"].dtype:
        raise Declined(
            f"inputs are of types {op['X'].dtype} and {op['Y'].dtype}; MIL takes inputs of one type"
        )
    first, second = aligned(op["X"].dims, op["Y"].dims, op.integer("axis"))
    return b.reshape(x, numbers(first)), b.reshape(y, numbers(second))
