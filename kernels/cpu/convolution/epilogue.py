"""What follows the sums of a convolution, as compiled functions take it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lite.ir.program import AttrValue
from lite.kernels.cpu.activation.activation import Activation, activation_of
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


Choice = tuple[int, Callable[[Epilogue], Callable[..., None]]]
"""An algorithm: how many channels a tile has, and what makes the function.

The function takes an image, a residual if there is one, and the output."""


def fused_activation(ctx: PrepareContext) -> Activation | None:
    """The activation that an op with fused steps says, or None where compiled functions have none."""
    attrs = ctx.attrs
    name = str(
        attrs["activation"] or attrs.get("fuse_activation") or ("relu" if attrs.get("fuse_relu") else "")
    )
    return activation_of(name, _numbers(attrs["activation_params"]))


def epilogue_of(
    ctx: PrepareContext, activation: Activation, channels: int, groups: int, room: int
) -> Epilogue | None:
    """The epilogue, each group's channels padded to `room`; None where its vectors are not constant."""
    slots = [slot for slot in ("Bias", "PostScale", "PostShift") if ctx.inputs.get(slot)]
    if any(ctx.constant(slot) is None for slot in slots):
        return None
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


def _numbers(value: AttrValue) -> Sequence[float]:
    return (
        [float(item) for item in value if isinstance(item, (int, float))]
        if isinstance(value, list | tuple)
        else []
    )
