"""The last arguments of tiles whose results are float32 or bytes: the epilogue, and where results go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba import types

from lite.kernels.cpu.codes import QUANTIZED
from lite.kernels.cpu.compiled.jit import emit
from lite.kernels.cpu.compiled.jit.emit import Emitted, at, integer
from lite.kernels.cpu.compiled.microkernels.epilogue import Tile


def addresses(context: Any, builder: Any, kinds: Any, args: Any) -> list[Emitted]:
    """The arguments, with the addresses of arrays."""
    return [
        emit.data(context, builder, kind, value) if isinstance(kind, types.Array) else value
        for kind, value in zip(kinds, args, strict=True)
    ]


class Results:
    """Channels, epilogue and results of a tile.

    The results go to `out` as float32, or with the flag `QUANTIZED` to `codes` as bytes,
    ``round(y · out_scale) + out_zero``.
    """

    def __init__(self, values: Sequence[Emitted]) -> None:
        self.channel, self.count, self.flags, self.parameters = values[:4]
        self.residual, self.scale, self.shift, self.out, self.codes = values[4:9]
        self.out_scale, self.out_zero, self.out_start, self.out_step = values[9:]

    def write(self, builder: Any, tile: Tile) -> None:
        """Apply the epilogue and write the tile."""
        residual = at(builder, self.residual, self.out_start)
        tile.apply_epilogue(self.flags, residual, self.out_step, self.parameters, self.scale, self.shift)
        is_quantized = builder.icmp_signed("!=", builder.and_(self.flags, integer(QUANTIZED)), integer(0))
        with builder.if_else(is_quantized) as (as_bytes, as_floats):
            with as_bytes:
                address = at(builder, self.codes, self.out_start)
                tile.store_quantized(address, self.out_step, self.out_scale, self.out_zero)
            with as_floats:
                tile.store(at(builder, self.out, self.out_start), self.out_step)
