"""The epilogue of a convolution, applied while a tile is in the cache."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.host.activation.activation import activate
from lite.kernels.host.buffering import small_buffers
from lite.plugin.kernel import Array

TILE_BYTES = 1 << 20
"""The most bytes of a tile and the buffers used with it: about a second-level cache."""


def tile_rows(rows: int, row_bytes: int) -> int:
    """The number of rows in a tile, where each of `rows` rows takes `row_bytes` in all buffers together."""
    tiles = -(-rows * row_bytes // TILE_BYTES)
    return max(1, -(-rows // max(tiles, 1)))


@dataclass(frozen=True)
class Epilogue:
    """``activation(accumulator + bias + residual) · post_scale + post_shift``, applied tile by tile.

    `residual` has the output's shape, the other arrays are ``[channels]``; the last two may be ``[1]``.
    `workspace` is for an activation that `keeps_input`, and has at least as many elements as a tile.
    """

    bias: Array | None = None
    residual: Array | None = None
    activation: str = ""
    params: Sequence[float] = ()
    post_scale: Array | None = None
    post_shift: Array | None = None
    workspace: Array | None = None

    def apply(self, accumulator: Array, out: Array, n: int | slice, channels: slice, rows: slice) -> None:
        """Write the result for `accumulator` ``[channels, rows, width]`` to that tile of `out`.

        For several images the accumulator begins with their axis.  It may be the tile.
        """
        tile = out[n, channels, rows]
        with small_buffers():
            if self.bias is not None:
                np.add(accumulator, self.bias[channels, None, None], out=tile)
            elif accumulator is not tile:
                np.copyto(tile, accumulator)
            if self.residual is not None:
                tile += self.residual[n, channels, rows]
            if self.activation:
                activate(self.activation, tile, self.params, out=tile, workspace=self.workspace)
            if self.post_scale is not None:
                tile *= _beside(self.post_scale, channels)
            if self.post_shift is not None:
                tile += _beside(self.post_shift, channels)

    def apply_in_place(self, out: Array, n: int, channels: slice, rows: slice) -> None:
        """Like `apply`, for an accumulator that is that tile of `out`; does nothing for an empty epilogue."""
        steps = (self.bias, self.residual, self.post_scale, self.post_shift)
        if self.activation or any(step is not None for step in steps):
            self.apply(out[n, channels, rows], out, n, channels, rows)


def _beside(vector: Array, channels: slice) -> Array:
    """One number for each channel, or one for all, in a shape that broadcasts against a tile."""
    return vector if vector.size == 1 else vector[channels, None, None]
