"""What follows the sums of a convolution while they are in the cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lite.kernels.host.activation.activation import activate
from lite.kernels.host.buffering import small_buffers
from lite.plugin.kernel import Array

TILE_BYTES = 1 << 20
"""How much a tile and what is computed along with it may take: about a second-level cache."""


def tile_rows(rows: int, row_bytes: int) -> int:
    """How many of `rows` rows make a tile, when each row occupies `row_bytes` in all buffers together."""
    tiles = -(-rows * row_bytes // TILE_BYTES)
    return max(1, -(-rows // max(tiles, 1)))


@dataclass(frozen=True)
class Epilogue:
    """``activation(sums + bias + residual) · post_scale + post_shift``, applied tile by tile.

    `residual` has the output's shape, the other arrays are ``[channels]``; the last two may be ``[1]``.
    `room` is for the activation: at least as many elements as a tile, where `keeps_input` says so.
    """

    bias: Array | None = None
    residual: Array | None = None
    activation: str = ""
    params: Sequence[float] = ()
    post_scale: Array | None = None
    post_shift: Array | None = None
    room: Array | None = None

    def store(self, sums: Array, out: Array, n: int, channels: slice, rows: slice) -> None:
        """Finish `sums` ``[channels, rows, width]`` into that tile of `out`; they may be the same."""
        tile = out[n, channels, rows]
        with small_buffers():
            if self.bias is not None:
                np.add(sums, self.bias[channels, None, None], out=tile)
            elif sums is not tile:
                np.copyto(tile, sums)
            if self.residual is not None:
                tile += self.residual[n, channels, rows]
            if self.activation:
                activate(self.activation, tile, self.params, out=tile, room=self.room)
            if self.post_scale is not None:
                tile *= _beside(self.post_scale, channels)
            if self.post_shift is not None:
                tile += _beside(self.post_shift, channels)

    def finish(self, out: Array, n: int, channels: slice, rows: slice) -> None:
        """Finish the sums that already lie in that tile of `out`."""
        steps = (self.bias, self.residual, self.post_scale, self.post_shift)
        if self.activation or any(step is not None for step in steps):
            self.store(out[n, channels, rows], out, n, channels, rows)


def _beside(vector: Array, channels: slice) -> Array:
    """One number a channel, or one for all, in a shape that broadcasts against a tile."""
    return vector if vector.size == 1 else vector[channels, None, None]
