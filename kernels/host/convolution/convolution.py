"""What convolutions and transposed convolutions have in common: attributes, layout, element type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lite.kernels.host.activation.activation import keeps_input
from lite.kernels.host.compute_dtype import compute_dtype, widened
from lite.kernels.host.convolution.epilogue import Epilogue
from lite.ops.image_attributes import ConvAttributes
from lite.plugin.kernel import Array, PrepareContext, write

Sums = Callable[[Array, Array, Array, Epilogue, Array], None]
"""Computes a convolution of an NCHW image, with a packed filter, into a contiguous NCHW buffer, and
its epilogue; all have the element type that is computed in.  The last is a vector to work in."""


@dataclass(frozen=True)
class Algorithm:
    """How to compute a convolution of certain shapes.

    `room` is how many elements `sums` wants to work in, `tile` how many its epilogue gets at a time.
    """

    sums: Sums
    room: int
    tile: int


@dataclass(frozen=True)
class Convolution(ConvAttributes):
    """The attributes of an op, and what the kernels of convolutions and of their transposes share."""

    def nchw(self, shape: Sequence[int]) -> tuple[int, int, int, int]:
        """The sizes of an image in the order NCHW."""
        if self.is_channel_last:
            n, h, w, c = shape
        else:
            n, c, h, w = shape
        return n, c, h, w

    def epilogue(
        self,
        bias: Array | None,
        residual: Array | None,
        post_scale: Array | None,
        post_shift: Array | None,
        room: Array | None = None,
    ) -> Epilogue:
        """What follows the sums, with the arrays as the op gets them."""
        if residual is not None and self.is_channel_last:
            residual = residual.transpose(0, 3, 1, 2)
        return Epilogue(
            _vector(bias),
            None if residual is None else widened(residual),
            self.activation,
            self.activation_params,
            _vector(post_scale),
            _vector(post_shift),
            room,
        )

    def run(
        self,
        sums: Sums,
        shape: Sequence[int],
        x: Array,
        packed: Array,
        epilogue: Epilogue,
        out: Array | None,
        room: Array,
    ) -> Array:
        """The op's output, of NCHW `shape` before it takes the op's layout and a larger residual's size."""
        channel_last = self.is_channel_last
        image = widened(x.transpose(0, 3, 1, 2) if channel_last else x)
        if epilogue.residual is not None and epilogue.residual.shape != tuple(shape):
            sums, shape, epilogue = _broadcast(sums, shape, epilogue, epilogue.residual)
        direct = not channel_last and image.dtype == x.dtype
        if direct and out is not None and out.flags.c_contiguous:
            sums(image, packed, out, epilogue, room)
            return out
        buffer = np.empty(tuple(shape), compute_dtype(x.dtype))
        sums(image, packed, buffer, epilogue, room)
        result = buffer.transpose(0, 2, 3, 1) if channel_last else buffer
        return write(out, result.astype(x.dtype, copy=False))


class Rooms:
    """The memory that a prepared convolution works in."""

    def __init__(self, ctx: PrepareContext, conv: Convolution, algorithm: Algorithm) -> None:
        dtype = compute_dtype(ctx.inputs["Input"][0].dtype.numpy)
        self._sums = ctx.scratch((algorithm.room,), dtype)
        kept = keeps_input(conv.activation)
        self._epilogue = ctx.scratch((algorithm.tile if kept else 0,), dtype)

    @property
    def sums(self) -> Array:
        """For the sums."""
        return self._sums.array

    @property
    def epilogue(self) -> Array:
        """For what follows them."""
        return self._epilogue.array


def _vector(array: Array | None) -> Array | None:
    return None if array is None else widened(array.reshape(-1))


def _broadcast(
    sums: Sums, shape: Sequence[int], epilogue: Epilogue, residual: Array
) -> tuple[Sums, Sequence[int], Epilogue]:
    """The same for a residual of another shape: what to run, the output's shape, what follows.

    Where the residual is larger in any axis the sums are computed first and repeated along it.
    """
    whole = np.broadcast_shapes(tuple(shape), residual.shape)
    finish = replace(epilogue, residual=np.broadcast_to(residual, whole))
    if whole == tuple(shape):
        return sums, shape, finish

    def repeated(x: Array, packed: Array, out: Array, epilogue: Epilogue, room: Array) -> None:
        own = np.empty(tuple(shape), out.dtype)
        sums(x, packed, own, Epilogue(), room)
        np.copyto(out, own)
        for n in range(len(out)):
            epilogue.finish(out, n, slice(None), slice(None))

    return repeated, whole, finish


def packed_filter(weight: Array) -> Array:
    """`weight` as matrix products read it: contiguous, aligned, in the type that is computed in."""
    return np.require(widened(weight), requirements=["C", "A"])
