"""What follows the sums of a convolution, as compiled functions take it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lite.kernels.cpu.activation.activation import Activation
from lite.kernels.cpu.arrays import NOTHING, padded_vector
from lite.kernels.cpu.flags import AFFINE, LATE_AFFINE, RESIDUAL
from lite.kernels.cpu.native.function import FREE, Argument
from lite.plugin.kernel import Array, PrepareContext


@dataclass(frozen=True, eq=False)
class Epilogue:
    """Flags and numbers; bias, scale and shift are padded to whole tiles."""

    flags: int
    parameters: Array
    bias: Array
    scale: Array
    shift: Array

    @property
    def residual(self) -> Argument:
        """What stands for the residual in a job."""
        return FREE if self.flags & RESIDUAL else None


VECTORS = ("Bias", "PostScale", "PostShift")
"""The slots of an epilogue's vectors, with one number for each channel."""

Choice = tuple[int, Callable[[Epilogue], Callable[..., None]]]
"""An algorithm: how many channels a tile has, and what makes the function.

The function takes an image, a residual if there is one, and the output."""


def has_constant_vectors(ctx: PrepareContext) -> bool:
    """Whether all vectors of the epilogue that the op has are constants."""
    return all(ctx.constant(slot) is not None for slot in VECTORS if ctx.inputs.get(slot))


def epilogue_of(
    ctx: PrepareContext, activation: Activation, channels: int, groups: int, room: int
) -> Epilogue:
    """The epilogue, each group's channels padded to `room`."""
    slots = [slot for slot in VECTORS if ctx.inputs.get(slot)]
    flags = activation.flags
    if "PostScale" in slots or "PostShift" in slots:
        flags |= LATE_AFFINE if activation.is_late else AFFINE
    if ctx.inputs.get("ResidualData"):
        flags |= RESIDUAL
    affine = flags & (AFFINE | LATE_AFFINE)
    # Behind an activation of a kind, vectors are read as the channels lie: without the room between groups.
    late = (1, channels + room) if activation.is_late else (groups, room)
    return Epilogue(
        flags,
        activation.parameters,
        _shared(ctx, "Bias", channels, (groups, room), 0.0),
        _shared(ctx, "PostScale", channels, late, 1.0) if affine else NOTHING,
        _shared(ctx, "PostShift", channels, late, 0.0) if affine else NOTHING,
    )


def _shared(ctx: PrepareContext, slot: str, channels: int, padding: tuple[int, int], default: float) -> Array:
    groups, room = padding
    vector = ctx.constant(slot)
    return ctx.shared(
        f"{slot} {groups} {room}", lambda: padded_vector(vector, channels, groups, room, default)
    )
