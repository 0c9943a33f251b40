"""Dense tiles of 16-bit integers; the sums are those of int32 that wraps around."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types

from lite.kernels.cpu.compiled.jit import bounds, emit
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.compiled.jit.emit import INTS, at, integer
from lite.kernels.cpu.compiled.jit.numba_internals import rolled_range
from lite.kernels.cpu.compiled.microkernels.dot_products import dot_words
from lite.kernels.cpu.compiled.microkernels.results import addresses
from lite.kernels.cpu.compiled.microkernels.tiles import FEW, FEW_PIXELS
from lite.kernels.cpu.tile_sizes import LANES


def word_tile(rows: Sequence[int]) -> Any:
    """An instruction for a tile of ``rows[columns]`` rows by `columns` vectors of int32.

    A row is `depth` pairs of int16, and rows are `row_step` bytes apart from the
    address `x` on.  Weights are int16 ``[depth, columns · LANES, 2]``, from byte `w_start` on.  The sums go
    to the address `out`, in rows `out_step` bytes apart.  `columns` selects the tile at run time as in
    `tiles.dense_tile`.
    """

    @instruction
    def tile(
        typing: Any, columns: Any, x: Any, row_step: Any, depth: Any, w: Any, w_start: Any, out: Any,
        out_step: Any,
    ) -> Any:  # fmt: skip
        i = types.int64

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            kind, x, row_step, depth, weights, start, out, out_step = addresses(
                context, builder, sig.args, args
            )
            weights = at(builder, weights, start)
            source, target = (builder.inttoptr(address, emit.BYTE.as_pointer()) for address in (x, out))
            for pointer in (source, target):
                bounds.enclosing(builder, pointer, weights)
            for columns in range(1, len(rows)):
                tiles = {columns: rows[columns], -columns: 1}
                if rows[columns] > FEW:
                    tiles[columns + FEW_PIXELS] = FEW
                for number, count in tiles.items():
                    with builder.if_then(builder.icmp_signed("==", kind, integer(number))):
                        _dense(builder, (source, row_step, depth, weights, target, out_step), count, columns)
            return context.get_dummy_value()

        return types.void(i, i, i, i, w, i, i, i), generate

    return tile


def _dense(builder: Any, arguments: Sequence[Any], rows: int, columns: int) -> None:
    x, row_step, depth, w, out, out_step = arguments
    zero = ir.Constant(INTS, [0] * LANES)
    sums = [[emit.variable(builder, zero) for _ in range(columns)] for _ in range(rows)]
    starts = [emit.opaque(builder, at(builder, x, builder.mul(row_step, integer(r)))) for r in range(rows)]
    with rolled_range(builder, depth) as loop:
        row = at(builder, w, builder.mul(loop.index, integer(4 * columns * LANES)))
        place = builder.mul(loop.index, integer(4))
        weights = [emit.load_ints(builder, at(builder, row, 4 * j * LANES)) for j in range(columns)]
        for start, variables in zip(starts, sums, strict=True):
            pair = emit.four_bytes(builder, at(builder, start, place))
            for weight, variable in zip(weights, variables, strict=True):
                builder.store(dot_words(builder, builder.load(variable), pair, weight), variable)
    for r, variables in enumerate(sums):
        row = at(builder, out, builder.mul(out_step, integer(r)))
        for j, variable in enumerate(variables):
            emit.store_ints(builder, builder.load(variable), at(builder, row, 4 * j * LANES))
