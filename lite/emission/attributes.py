"""What several conversions read of an op: integers that must be known, inputs aligned by `axis`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from lite.emission.conversion import Context, Declined
from lite.emission.sizes import numbers
from lite.ops.broadcast import aligned
from lite.ops.shape_input import element, elements
from lite.plugin.device import BridgeOp

T = TypeVar("T")


class Reshapes(Protocol[T]):
    """A builder that can change the shape of a tensor."""

    def reshape(self, x: T, shape: Sequence[int], /) -> T:
        """The tensor in another shape, whose sizes are all known."""


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


def aligned_inputs(op: BridgeOp, ctx: Context[Reshapes[T], T]) -> tuple[T, T]:
    """X and Y with axes of size 1 so that they broadcast from the last axis, as Paddle's `axis` says."""
    if op["X"].dtype is not op["Y"].dtype:
        raise Declined(f"inputs are of types {op['X'].dtype} and {op['Y'].dtype}, and have to be of one")
    x, y = ctx.input(op, "X"), ctx.input(op, "Y")
    first, second = aligned(op["X"].dims, op["Y"].dims, op.integer("axis"))
    return ctx.builder.reshape(x, numbers(first)), ctx.builder.reshape(y, numbers(second))
