"""VolumeFilters: the constants of a convolution of volumes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.cpu.activation.activation import limits
from lite.kernels.cpu.arrays import padded_vector
from lite.ops import clamp_of, get_schema
from lite.ops.image_attributes import ActivatedAttributes
from lite.plugin.kernel import Array, PrepareContext


@dataclass(frozen=True, eq=False)
class VolumeFilters:
    """The constants of a convolution; `limits` are the parameters of an activation that limits numbers."""

    weight: Array
    bias: Array | None
    limits: Array

    @classmethod
    def of(cls, ctx: PrepareContext) -> VolumeFilters | None:
        """Those of an op; None where they are not constant float32, or the activation does more."""
        attrs, weight, bias = (
            ctx.attrs.read(ActivatedAttributes),
            ctx.constant("Filter"),
            ctx.constant("Bias"),
        )
        if weight is None or weight.dtype != np.float32 or (bias is None and ctx.inputs.get("Bias")):
            return None
        if not attrs.activation:
            return cls(weight, bias, limits())
        numbers = get_schema(attrs.activation).from_numbers(attrs.activation_params)
        clamp = clamp_of(attrs.activation, numbers)
        return (
            None if clamp is None or not clamp.is_clip else cls(weight, bias, limits(clamp.low, clamp.high))
        )

    def biases(self, ctx: PrepareContext, padded: int) -> Array:
        """The biases, or zeros, and zeros up to `padded` numbers."""
        make: Callable[[], Any] = lambda: padded_vector(self.bias, len(self.weight), 1, padded)  # noqa: E731
        return ctx.shared(f"bias {padded}", make)

    def with_biases(self, ctx: PrepareContext) -> Array:
        """``[outputs, elements of a window + 1]``, flat, with the biases at the ends of the rows."""

        def pack() -> Array:
            outputs = len(self.weight)
            last = np.zeros(outputs, np.float32) if self.bias is None else self.bias.reshape(-1)
            rows = np.column_stack([self.weight.reshape(outputs, -1), last])
            return np.ascontiguousarray(rows).reshape(-1)

        return ctx.shared("rows", pack)
