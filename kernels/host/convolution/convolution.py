"""Attributes, layout, element type and workspace of convolutions and transposed convolutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.host.activation.activation import keeps_input
from lite.kernels.host.compute_dtype import compute_dtype, widened
from lite.kernels.host.convolution.epilogue import Epilogue
from lite.ops.image_attributes import ConvAttributes
from lite.plugin.kernel import Array, PrepareContext, write

Compute = Callable[[Array, Array, Array, Epilogue, Array], None]
"""Computes a convolution: image, packed filter, contiguous output buffer, epilogue, workspace.

Image and output are NCHW.  All arrays have the compute dtype; the workspace is a vector."""


@dataclass(frozen=True)
class Algorithm:
    """How to compute a convolution of certain shapes.

    `compute` needs a workspace of `workspace_size` elements; its epilogue receives up to `tile` at a time.
    """

    compute: Compute
    workspace_size: int
    tile: int


@dataclass(frozen=True)
class Convolution(ConvAttributes):
    """The attributes of an op, with the steps that all kernels of convolutions share."""

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
        workspace: Array | None = None,
    ) -> Epilogue:
        """The epilogue, from the arrays that the op receives."""
        if residual is not None and self.is_channel_last:
            residual = residual.transpose(0, 3, 1, 2)
        return Epilogue(
            _vector(bias),
            None if residual is None else widened(residual),
            self.activation,
            self.activation_params,
            _vector(post_scale),
            _vector(post_shift),
            workspace,
        )

    def run(
        self,
        compute: Compute,
        shape: Sequence[int],
        x: Array,
        packed: Array,
        epilogue: Epilogue,
        out: Array | None,
        workspace: Array,
    ) -> Array:
        """The op's output, in its layout; `shape` is NCHW, before the broadcast to a larger residual."""
        channel_last = self.is_channel_last
        image = widened(x.transpose(0, 3, 1, 2) if channel_last else x)
        if epilogue.residual is not None and epilogue.residual.shape != tuple(shape):
            compute, shape, epilogue = _broadcast(compute, shape, epilogue, epilogue.residual)
        direct = not channel_last and image.dtype == x.dtype
        if direct and out is not None and out.flags.c_contiguous:
            compute(image, packed, out, epilogue, workspace)
            return out
        buffer = np.empty(tuple(shape), compute_dtype(x.dtype))
        compute(image, packed, buffer, epilogue, workspace)
        result = buffer.transpose(0, 2, 3, 1) if channel_last else buffer
        return write(out, result.astype(x.dtype, copy=False))


class Workspaces:
    """The workspaces of a prepared convolution and of its epilogue."""

    def __init__(self, ctx: PrepareContext, conv: Convolution, algorithm: Algorithm) -> None:
        dtype = compute_dtype(ctx.inputs["Input"][0].dtype.numpy)
        self._algorithm = ctx.scratch((algorithm.workspace_size,), dtype)
        kept = keeps_input(conv.activation)
        self._epilogue = ctx.scratch((algorithm.tile if kept else 0,), dtype)

    @property
    def algorithm(self) -> Array:
        """The vector for `Algorithm.compute`."""
        return self._algorithm.array

    @property
    def epilogue(self) -> Array:
        """The vector for `Epilogue.workspace`."""
        return self._epilogue.array


def _vector(array: Array | None) -> Array | None:
    return None if array is None else widened(array.reshape(-1))


def _broadcast(
    compute: Compute, shape: Sequence[int], epilogue: Epilogue, residual: Array
) -> tuple[Compute, Sequence[int], Epilogue]:
    """The computation, the output's shape and the epilogue for a residual of another shape.

    Where the residual is larger along an axis, the convolution is computed first and repeated along it.
    """
    whole = np.broadcast_shapes(tuple(shape), residual.shape)
    with_residual = replace(epilogue, residual=np.broadcast_to(residual, whole))
    if whole == tuple(shape):
        return compute, shape, with_residual

    def repeated(x: Array, packed: Array, out: Array, epilogue: Epilogue, workspace: Array) -> None:
        own = np.empty(tuple(shape), out.dtype)
        compute(x, packed, own, Epilogue(), workspace)
        np.copyto(out, own)
        for n in range(len(out)):
            epilogue.apply_in_place(out, n, slice(None), slice(None))

    return repeated, whole, with_residual


def packed_filter(weight: Array) -> Array:
    """`weight` as matrix products read it: contiguous, aligned, in the compute dtype."""
    return np.require(widened(weight), requirements=["C", "A"])
