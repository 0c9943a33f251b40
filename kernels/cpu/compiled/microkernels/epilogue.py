"""The epilogue of a tile, applied to its accumulators while they are in registers.

With v = accumulator + residual, it is ``y = min(max(a · v + b, low), high)``, times v for a gate such as
hard_swish, and then ``y · scale + shift``.  For relu, a = 1, b = low = 0 and high is infinite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir

from lite.dataclass import dataclass
from lite.kernels.cpu.codes import AFFINE, CLAMPED, GATED, HIGH, LOW, RESIDUAL, A, B
from lite.kernels.cpu.compiled.jit import emit, emit_extremes
from lite.kernels.cpu.compiled.jit.emit import Emitted, at, integer
from lite.kernels.cpu.compiled.jit.emit_bytes import quantized, store_quantized
from lite.kernels.cpu.tile_sizes import LANES


@dataclass(frozen=True)
class Tile:
    """Accumulators of some pixels by some vectors of channels, in variables that LLVM keeps in registers.

    `channel` is the first channel, and `count` the number of channels from it on.
    """

    builder: Any
    accumulators: Sequence[Sequence[Emitted]]
    channel: Emitted
    count: Emitted

    @classmethod
    def new(cls, builder: Any, first: Sequence[Emitted], rows: int, channel: Emitted, count: Emitted) -> Tile:
        """A tile of `rows` pixels whose accumulators start with the vectors `first`, one for each column."""
        accumulators = [[emit.variable(builder, vector) for vector in first] for _ in range(rows)]
        return cls(builder, accumulators, channel, count)

    def masks(self) -> list[Emitted]:
        """For each column, a mask of the lanes that are channels."""
        columns = range(len(self.accumulators[0]))
        return [
            emit.first_lanes(self.builder, self.builder.sub(self.count, integer(j * LANES))) for j in columns
        ]

    def read(self, flags: Emitted, flag: int, source: Emitted, step: Emitted) -> None:
        """With a flag, start with the channels of pixels that are `step` elements apart from `source` on."""
        builder = self.builder
        with builder.if_then(_is_set(builder, flags, flag), likely=False):
            masks = self.masks()
            for r, row in enumerate(self.accumulators):
                pixel = at(builder, source, builder.mul(step, integer(r)))
                for j, variable in enumerate(row):
                    vector = emit.load_masked(builder, at(builder, pixel, j * LANES), masks[j])
                    builder.store(vector, variable)

    def apply_epilogue(
        self,
        flags: Emitted,
        residual: Emitted,
        residual_step: Emitted,
        parameters: Emitted,
        scale: Emitted,
        shift: Emitted,
    ) -> None:
        """Apply the epilogue; `residual` is the address of the tile's first element in the residual."""
        builder = self.builder
        with builder.if_then(_is_set(builder, flags, RESIDUAL)):
            masks = self.masks()
            for r, row in enumerate(self.accumulators):
                pixel = at(builder, residual, builder.mul(residual_step, integer(r)))
                for j, variable in enumerate(row):
                    loaded = emit.load_masked(builder, at(builder, pixel, j * LANES), masks[j])
                    builder.store(builder.fadd(builder.load(variable), loaded), variable)
        a, b, low, high = (
            emit.splat(builder, emit.element(builder, at(builder, parameters, n))) for n in (A, B, LOW, HIGH)
        )
        is_gated = _is_set(builder, flags, GATED)
        with builder.if_then(_is_set(builder, flags, CLAMPED)), builder.if_else(is_gated) as (gated, plain):
            with gated:
                self._each(lambda v: builder.fmul(v, self._clamped(v, a, b, low, high)))
            with plain:
                self._each(lambda v: self._clamped(v, a, b, low, high))
        with builder.if_then(_is_set(builder, flags, AFFINE)):
            for j in range(len(self.accumulators[0])):
                place = builder.add(self.channel, integer(j * LANES))
                factor = emit.load(builder, at(builder, scale, place))
                summand = emit.load(builder, at(builder, shift, place))
                for row in self.accumulators:
                    builder.store(emit.fma(builder, builder.load(row[j]), factor, summand), row[j])

    def store(self, out: Emitted, step: Emitted) -> None:
        """Write the channels to pixels that are `step` elements apart from address `out` on."""
        builder = self.builder
        every = builder.icmp_signed(">=", self.count, integer(len(self.accumulators[0]) * LANES))
        with builder.if_else(every) as (whole, part):
            with whole:
                self._store(out, step)
            with part:
                for j, mask in enumerate(self.masks()):
                    self._store_column(out, step, j, mask)

    def store_quantized(self, out: Emitted, step: Emitted, scale: Emitted, zero: Emitted) -> None:
        """Write the channels as bytes, ``round(y · scale) + zero``, to pixels that are `step` bytes apart."""
        builder = self.builder
        factor, summand = emit.splat(builder, scale), emit.splat(builder, zero)
        places = [at(builder, out, builder.mul(step, integer(r))) for r in range(len(self.accumulators))]

        rows = [[builder.load(variable) for variable in row] for row in self.accumulators]
        every = builder.icmp_signed(">=", self.count, integer(len(self.accumulators[0]) * LANES))
        with builder.if_else(every) as (whole, part):
            with whole:
                for place, row in zip(places, rows, strict=True):
                    store_quantized(builder, [builder.fmul(v, factor) for v in row], summand, place)
            with part:
                masks = self.masks()
                for place, row in zip(places, rows, strict=True):
                    for j, vector in enumerate(row):
                        codes = quantized(builder, builder.fmul(vector, factor), summand)
                        emit.store_bytes_part(builder, codes, at(builder, place, j * LANES), masks[j])

    def _store(self, out: Emitted, step: Emitted) -> None:
        for r, row in enumerate(self.accumulators):
            pixel = at(self.builder, out, self.builder.mul(step, integer(r)))
            for j, variable in enumerate(row):
                emit.store(self.builder, self.builder.load(variable), at(self.builder, pixel, j * LANES))

    def _store_column(self, out: Emitted, step: Emitted, column: int, mask: Emitted) -> None:
        builder = self.builder

        def write(store: Callable[[Emitted, Emitted], None]) -> None:
            for r, row in enumerate(self.accumulators):
                pixel = at(builder, out, builder.mul(step, integer(r)))
                store(builder.load(row[column]), at(builder, pixel, column * LANES))

        emit.by_mask(
            builder,
            mask,
            lambda: write(lambda vector, address: emit.store(builder, vector, address)),
            lambda: write(lambda vector, address: emit.store_masked(builder, vector, address, mask)),
        )

    def _clamped(self, v: Emitted, a: Emitted, b: Emitted, low: Emitted, high: Emitted) -> Emitted:
        builder = self.builder
        return emit_extremes.smaller(
            builder, emit_extremes.larger(builder, emit.fma(builder, a, v, b), low), high
        )

    def _each(self, change: Any) -> None:
        for row in self.accumulators:
            for variable in row:
                self.builder.store(change(self.builder.load(variable)), variable)


def _is_set(builder: Any, flags: Emitted, flag: int) -> Emitted:
    return builder.icmp_signed("!=", builder.and_(flags, integer(flag)), ir.Constant(emit.INT, 0))
