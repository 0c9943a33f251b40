"""Dense tiles of unsigned bytes and signed weights; the sums are exact.

The result is ``sum · factor + bias`` in float32, then the epilogue, and bytes again if the flag `QUANTIZED`
is set.  `vectors` has for each vector of channels three vectors: the first sums (minus the input's zero point
times the sum of the weights, int32), factors and biases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numba import types

from lite.kernels.cpu.codes import WIDE
from lite.kernels.cpu.compiled.jit import bounds, emit
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.compiled.jit.emit import INTS, Emitted, at, integer
from lite.kernels.cpu.compiled.jit.numba_internals import rolled_range
from lite.kernels.cpu.compiled.microkernels.dot_products import dot, dot_words, short_dot
from lite.kernels.cpu.compiled.microkernels.epilogue import Tile
from lite.kernels.cpu.compiled.microkernels.results import Results, addresses
from lite.kernels.cpu.compiled.microkernels.tiles import FEW, FEW_PIXELS
from lite.kernels.cpu.tile_sizes import HAS_PAIRS, LANES

Dot = Callable[[Any, Emitted, Emitted, Emitted], Emitted]


def quantized_tile(rows: Sequence[int]) -> Any:
    """An instruction for a tile of ``rows[columns]`` pixels by `columns` vectors of channels.

    A pixel is `depth` groups of four bytes, and pixels are `pixel_step` bytes apart from the address `x` on.
    Weights are int8 ``[depth, columns · LANES, 4]``, from the address `w` on; with `HAS_PAIRS`, pairs of
    products fit 16 bits.  With the flag `WIDE`, pixels are int16, and weights int16 ``[depth, 2,
    columns · LANES, 2]``.  `columns` selects the tile at run time as in `tiles.dense_tile`.
    """

    @instruction
    def tile(
        typing: Any, columns: Any, x: Any, pixel_step: Any, depth: Any, w: Any, vectors: Any,
        channel: Any, count: Any, flags: Any, parameters: Any, residual: Any, scale: Any, shift: Any,
        out: Any, codes: Any, out_scale: Any, out_zero: Any, out_start: Any, out_step: Any,
    ) -> Any:  # fmt: skip
        i, f = types.int64, types.float32
        kinds = (
            i, i, i, i, i, vectors, i, i, i, parameters, residual, scale, shift, out, codes, f, f, i, i,
        )  # fmt: skip

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            a = _Arguments(context, builder, sig.args, args)
            for columns in range(1, len(rows)):
                tiles = {columns: rows[columns], -columns: 1}
                if rows[columns] > FEW:
                    tiles[columns + FEW_PIXELS] = FEW
                for kind, pixels in tiles.items():
                    with builder.if_then(builder.icmp_signed("==", args[0], integer(kind))):
                        _dense(builder, a, pixels, columns)
            return context.get_dummy_value()

        return types.void(*kinds), generate

    return tile


def _dense(builder: Any, a: _Arguments, rows: int, columns: int) -> None:
    vectors = at(builder, a.vectors, builder.mul(a.channel, integer(3)))
    first, factors, biases = (
        [emit.load(builder, at(builder, vectors, (3 * j + n) * LANES)) for j in range(columns)]
        for n in range(3)
    )
    sums = [[emit.variable(builder, builder.bitcast(v, INTS)) for v in first] for _ in range(rows)]
    base = builder.inttoptr(a.x, emit.BYTE.as_pointer())
    for pointer in (base, a.weights):
        bounds.enclosing(builder, pointer, a.vectors)
    pixels = [
        emit.opaque(builder, at(builder, base, builder.mul(a.pixel_step, integer(r)))) for r in range(rows)
    ]

    def multiply(step: Emitted, dot: Dot) -> None:
        """Add the products of a row of the weights and of four bytes of each pixel."""
        row = at(builder, a.weights, builder.mul(step, integer(4 * columns * LANES)))
        place = builder.mul(step, integer(4))
        weights = [emit.load_ints(builder, at(builder, row, 4 * j * LANES)) for j in range(columns)]
        for pixel, variables in zip(pixels, sums, strict=True):
            four = emit.four_bytes(builder, at(builder, pixel, place))
            for weight, variable in zip(weights, variables, strict=True):
                builder.store(dot(builder, builder.load(variable), four, weight), variable)

    if HAS_PAIRS:
        is_wide = builder.icmp_signed("!=", builder.and_(a.flags, integer(WIDE)), integer(0))
        with builder.if_else(is_wide) as (wide, narrow):
            with wide, rolled_range(builder, builder.mul(a.depth, integer(2))) as loop:
                multiply(loop.index, dot_words)
            with narrow, rolled_range(builder, a.depth) as loop:
                multiply(loop.index, short_dot)
    else:
        with rolled_range(builder, a.depth) as loop:
            multiply(loop.index, dot)
    tile = Tile.new(builder, biases, rows, a.channel, a.count)
    for results, totals in zip(tile.accumulators, sums, strict=True):
        for j, (variable, total) in enumerate(zip(results, totals, strict=True)):
            number = builder.sitofp(builder.load(total), emit.VECTOR)
            builder.store(emit.fma(builder, number, factors[j], biases[j]), variable)
    a.write(builder, tile)


class _Arguments(Results):
    """The arguments of a tile, with addresses for arrays."""

    def __init__(self, context: Any, builder: Any, kinds: Any, args: Any) -> None:
        values = addresses(context, builder, kinds, args)
        _, self.x, self.pixel_step, self.depth, weights, self.vectors = values[:6]
        self.weights = builder.inttoptr(weights, emit.BYTE.as_pointer())
        super().__init__(values[6:])
