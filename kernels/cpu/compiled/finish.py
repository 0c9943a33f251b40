"""What follows the sums of a tile while they are in registers.

``y = clamp(a · v + b, low, high)`` with v = sums + residual, times v for gates such as hard_swish, then
``y · scale + shift``.  A rectifier is a = 1, b = low = 0, high infinite; no activation has no bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from llvmlite import ir
from numba.core import cgutils

from lite.kernels.cpu.compiled import emit
from lite.kernels.cpu.compiled.emit import Emitted, at, integer
from lite.kernels.cpu.flags import AFFINE, CLAMPED, GATED, HIGH, LOW, RESIDUAL, A, B
from lite.kernels.cpu.tile_sizes import LANES


@dataclass(frozen=True)
class Tile:
    """Sums of `rows` pixels by `columns` vectors of channels, in variables that become registers.

    `channel` is the first channel, `count` how many there are from it on.
    """

    builder: Any
    sums: Sequence[Sequence[Emitted]]
    channel: Emitted
    count: Emitted

    @classmethod
    def new(cls, builder: Any, first: Sequence[Emitted], rows: int, channel: Emitted, count: Emitted) -> Tile:
        """A tile whose sums begin with a vector for each column."""
        sums = [[cgutils.alloca_once(builder, emit.VECTOR) for _ in first] for _ in range(rows)]
        for row in sums:
            for variable, vector in zip(row, first, strict=True):
                builder.store(vector, variable)
        return cls(builder, sums, channel, count)

    def masks(self) -> list[Emitted]:
        """Which lanes of each column are channels."""
        columns = range(len(self.sums[0]))
        return [
            emit.first_lanes(self.builder, self.builder.sub(self.count, integer(j * LANES))) for j in columns
        ]

    def finish(
        self,
        flags: Emitted,
        residual: Emitted,
        residual_step: Emitted,
        parameters: Emitted,
        scale: Emitted,
        shift: Emitted,
    ) -> None:
        """Emit the epilogue; `residual` is the address of the tile's first element there."""
        builder = self.builder
        with builder.if_then(_is_set(builder, flags, RESIDUAL)):
            masks = self.masks()
            for r, row in enumerate(self.sums):
                pixel = at(builder, residual, builder.mul(residual_step, integer(r)))
                for j, variable in enumerate(row):
                    loaded = emit.load_masked(builder, at(builder, pixel, j * LANES), masks[j])
                    builder.store(builder.fadd(builder.load(variable), loaded), variable)
        a, b, low, high = (
            emit.splat(builder, builder.load(at(builder, parameters, n))) for n in (A, B, LOW, HIGH)
        )
        is_gated = _is_set(builder, flags, GATED)
        with builder.if_then(_is_set(builder, flags, CLAMPED)), builder.if_else(is_gated) as (gated, plain):
            with gated:
                self._each(lambda v: builder.fmul(v, self._clamped(v, a, b, low, high)))
            with plain:
                self._each(lambda v: self._clamped(v, a, b, low, high))
        with builder.if_then(_is_set(builder, flags, AFFINE)):
            for j in range(len(self.sums[0])):
                place = builder.add(self.channel, integer(j * LANES))
                factor = emit.load(builder, at(builder, scale, place))
                summand = emit.load(builder, at(builder, shift, place))
                for row in self.sums:
                    builder.store(emit.fma(builder, builder.load(row[j]), factor, summand), row[j])

    def store(self, out: Emitted, step: Emitted) -> None:
        """Write the channels to the pixels from `out` on, `step` elements apart."""
        builder = self.builder
        every = builder.icmp_signed(">=", self.count, integer(len(self.sums[0]) * LANES))
        with builder.if_else(every) as (whole, part):
            with whole:
                self._store(out, step, lambda vector, address, _: emit.store(builder, vector, address))
            with part:
                masks = self.masks()
                self._store(
                    out,
                    step,
                    lambda vector, address, j: emit.store_masked(builder, vector, address, masks[j]),
                )

    def _store(self, out: Emitted, step: Emitted, write: Callable[[Emitted, Emitted, int], None]) -> None:
        for r, row in enumerate(self.sums):
            pixel = at(self.builder, out, self.builder.mul(step, integer(r)))
            for j, variable in enumerate(row):
                write(self.builder.load(variable), at(self.builder, pixel, j * LANES), j)

    def _clamped(self, v: Emitted, a: Emitted, b: Emitted, low: Emitted, high: Emitted) -> Emitted:
        builder = self.builder
        return emit.smaller(builder, emit.larger(builder, emit.fma(builder, a, v, b), low), high)

    def _each(self, change: Any) -> None:
        for row in self.sums:
            for variable in row:
                self.builder.store(change(self.builder.load(variable)), variable)


def _is_set(builder: Any, flags: Emitted, flag: int) -> Emitted:
    return builder.icmp_signed("!=", builder.and_(flags, integer(flag)), ir.Constant(emit.INT, 0))
