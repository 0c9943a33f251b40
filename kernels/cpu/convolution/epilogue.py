"""The epilogue of a convolution: bias, residual, activation, scale and shift, after the sum of products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.cpu.activation.activation import Activation
from lite.kernels.cpu.arrays import NO_VECTOR, padded_vector
from lite.kernels.cpu.codes import AFFINE, LOOKUP, POST_AFFINE, QUANTIZED, RESIDUAL
from lite.kernels.cpu.native.job import FREE, Argument
from lite.plugin.kernel import Array, PrepareContext


@dataclass(frozen=True, eq=False)
class Epilogue:
    """Arguments of a compiled function; bias, scale and shift are padded to whole tiles."""

    flags: int
    parameters: Array
    bias: Array
    scale: Array
    shift: Array

    @property
    def residual(self) -> Argument:
        """The argument for the residual."""
        return FREE if self.flags & RESIDUAL else None


@dataclass(frozen=True, eq=False)
class Results:
    """The arguments for the results of a compiled function: `out` for float32, or `codes` for bytes.

    Bytes are ``round(y · scale) + zero``, looked up in the `table` if there is one.
    """

    flags: int
    out: Argument
    codes: Argument
    scale: float
    zero: float
    table: Array | None = None

    @classmethod
    def of(cls, flags: int, out_scale: float, out_zero_point: int, table: Array | None = None) -> Results:
        """The results of an op with these attributes; an `out_scale` of 0 stands for float32."""
        if not out_scale:
            return cls(flags, FREE, None, 0.0, 0.0)
        factor = float(np.float32(1) / np.float32(out_scale))
        looked_up = 0 if table is None else LOOKUP
        return cls(flags | QUANTIZED | looked_up, None, FREE, factor, float(out_zero_point), table)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type of the results."""
        return np.dtype(np.uint8 if self.flags & QUANTIZED else np.float32)


VECTORS = ("Bias", "PostScale", "PostShift")
"""The slots of an epilogue's vectors, with one number for each channel."""

Choice = tuple[int, Callable[[Epilogue], Callable[..., None]]]
"""An algorithm: the channels of a tile, and a function that binds the algorithm to an epilogue.

The bound function takes an image, a residual if the op has one, and the output."""


def has_constant_vectors(ctx: PrepareContext) -> bool:
    """Whether all of `VECTORS`, and a table, that the op has are constants."""
    return all(ctx.constant(slot) is not None for slot in (*VECTORS, "Table") if ctx.inputs.get(slot))


def epilogue_of(
    ctx: PrepareContext, activation: Activation, channels: int, groups: int, padded: int
) -> Epilogue:
    """The epilogue; the channels of each group are padded to `padded`."""
    slots = [slot for slot in VECTORS if ctx.inputs.get(slot)]
    flags = activation.flags
    if "PostScale" in slots or "PostShift" in slots:
        flags |= POST_AFFINE if activation.is_post_activation else AFFINE
    if ctx.inputs.get("ResidualData"):
        flags |= RESIDUAL
    is_affine = flags & (AFFINE | POST_AFFINE)
    # After a post-activation, vectors are indexed by channels, without padding between the groups.
    padding = (1, channels + padded) if activation.is_post_activation else (groups, padded)
    return Epilogue(
        flags,
        activation.parameters,
        _padded(ctx, "Bias", channels, (groups, padded), 0.0),
        _padded(ctx, "PostScale", channels, padding, 1.0) if is_affine else NO_VECTOR,
        _padded(ctx, "PostShift", channels, padding, 0.0) if is_affine else NO_VECTOR,
    )


def _padded(ctx: PrepareContext, slot: str, channels: int, padding: tuple[int, int], default: float) -> Array:
    groups, padded = padding
    vector = ctx.constant(slot)
    return ctx.shared(
        f"{slot} {groups} {padded}", lambda: padded_vector(vector, channels, groups, padded, default)
    )
