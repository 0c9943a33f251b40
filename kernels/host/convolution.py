"""What convolutions and transposed convolutions have in common: attributes, layout, element type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from lite.kernels.host.compute_dtype import compute_dtype, widened
from lite.kernels.host.epilogue import Epilogue
from lite.ops.window import Window, is_channel_last, windows
from lite.plugin.kernel import Array, write

Sums = Callable[[Array, Array, Array, Epilogue], None]
"""Computes a convolution of an NCHW image, with a packed filter, into a contiguous NCHW buffer, and
its epilogue; all have the element type that is computed in."""


@dataclass(frozen=True)
class Convolution:
    """The attributes of an op, as in lite/ops/conv.py."""

    strides: Sequence[int]
    paddings: Sequence[int]
    padding_algorithm: str
    dilations: Sequence[int]
    groups: int
    data_format: str
    activation: str
    activation_params: Sequence[float]
    fuse_relu: bool
    fuse_activation: str

    @classmethod
    def of(cls, attrs: Mapping[str, Any]) -> Convolution:
        """The attributes among those of an op."""
        return cls(**{field.name: attrs[field.name] for field in fields(cls)})

    def nchw(self, shape: Sequence[int]) -> tuple[int, int, int, int]:
        """The sizes of an image in the order NCHW."""
        if is_channel_last(self.data_format):
            n, h, w, c = shape
        else:
            n, c, h, w = shape
        return n, c, h, w

    def windows(self, sizes: Sequence[int], filter_sizes: Sequence[int]) -> list[Window]:
        """The windows over an image of these sizes."""
        return windows(
            sizes, filter_sizes, self.strides, self.dilations, self.paddings, self.padding_algorithm
        )

    def run(
        self,
        sums: Sums,
        shape: Sequence[int],
        x: Array,
        packed: Array,
        bias: Array | None,
        residual: Array | None,
        out: Array | None,
    ) -> Array:
        """The op's output, of NCHW `shape` before it takes the op's layout."""
        channel_last = is_channel_last(self.data_format)
        image = widened(x.transpose(0, 3, 1, 2) if channel_last else x)
        if residual is not None:
            residual = widened(residual.transpose(0, 3, 1, 2) if channel_last else residual)
        epilogue = Epilogue(
            None if bias is None else widened(bias.reshape(-1)),
            residual,
            self.activation or self.fuse_activation or ("relu" if self.fuse_relu else ""),
            self.activation_params,
        )
        direct = not channel_last and image.dtype == x.dtype
        if direct and out is not None and out.flags.c_contiguous:
            sums(image, packed, out, epilogue)
            return out
        buffer = np.empty(tuple(shape), compute_dtype(x.dtype))
        sums(image, packed, buffer, epilogue)
        result = buffer.transpose(0, 2, 3, 1) if channel_last else buffer
        return write(out, result.astype(x.dtype, copy=False))


def packed_filter(weight: Array) -> Array:
    """`weight` as matrix products read it: contiguous, aligned, in the type that is computed in."""
    return np.require(widened(weight), requirements=["C", "A"])
