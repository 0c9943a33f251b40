"""What several conversions read of an op: integers that must be known, inputs aligned by `axis`."""

from __future__ import annotations

from lite.emission.tflite.bridging import Context, Declined, numbers
from lite.emission.tflite.builder import Tensor
from lite.ops.broadcast import aligned
from lite.ops.shape_input import element, elements
from lite.plugin.device import BridgeOp


def require_integers(op: BridgeOp, attr: str, *slots: str) -> list[int]:
    """The integers in the first of `slots` that the op has, else in the attribute; declines unknown ones."""
    numbers = elements(op, attr, *slots)
    known = [number for number in numbers or () if number is not None]
    if numbers is None or len(known) < len(numbers):
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
    x, y = ctx.input(op, "X"), ctx.input(op, "Y")
    if x.dtype is not y.dtype:
        raise Declined(f"inputs are of types {x.dtype} and {y.dtype}; TFLite takes inputs of one type")
    first, second = aligned(op["X"].dims, op["Y"].dims, op.integer("axis"))
    b = ctx.builder
    return b.reshape(x, numbers(first)), b.reshape(y, numbers(second))
