"""Dense tiles of two integer operands, either with zero points of its own; the sums are exact.

`terms` has two int32 for each row: its zero point, and the sum of the row less that zero point.  `columns`
has two vectors for each vector of channels: the sums of the weights, and their zero points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types

from lite.kernels.cpu.codes import SUMS
from lite.kernels.cpu.compiled.jit import bounds, emit
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.compiled.jit.emit import INTS, Emitted, at, integer
from lite.kernels.cpu.compiled.jit.numba_internals import for_range
from lite.kernels.cpu.compiled.microkernels.dot_products import dot
from lite.kernels.cpu.compiled.microkernels.epilogue import Tile
from lite.kernels.cpu.compiled.microkernels.results import Results, addresses
from lite.kernels.cpu.compiled.microkernels.tiles import FEW, FEW_PIXELS
from lite.kernels.cpu.compiled.moves.byte_layout import interleaved
from lite.kernels.cpu.tile_sizes import LANES

_PAIRS = ir.Constant(INTS, [0x01010101] * LANES)
"""Four ones in each lane."""


def integer_tile(rows: Sequence[int]) -> Any:
    """An instruction for a tile of ``rows[columns]`` rows by `panel` vectors of channels.

    A row is `depth` groups of four bytes from the address `x` on, and rows are `row_step` bytes apart.
    Weights are int8 ``[..., depth, panel · LANES, 4]``, from byte `w_start` on.  With the flag `SUMS` the
    results are the int32 sums, in `sums`; else ``sum · factor + bias`` and what `Results` does with them.
    `panel` selects the tile at run time as in `tiles.dense_tile`.
    """

    @instruction
    def tile(
        typing: Any, panel: Any, x: Any, row_step: Any, depth: Any, w: Any, w_start: Any, columns: Any,
        column: Any, terms: Any, term: Any, factors: Any, biases: Any, sums: Any, channel: Any, count: Any,
        flags: Any, parameters: Any, residual: Any, scale: Any, shift: Any, out: Any, codes: Any,
        out_scale: Any, out_zero: Any, out_start: Any, out_step: Any,
    ) -> Any:  # fmt: skip
        i, f = types.int64, types.float32
        kinds = (
            i, i, i, i, w, i, columns, i, terms, i, factors, biases, sums, i, i, i, parameters, residual,
            scale, shift, out, codes, f, f, i, i,
        )  # fmt: skip

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            a = _Arguments(context, builder, sig.args, args)
            for width in range(1, len(rows)):
                tiles = {width: rows[width], -width: 1}
                if rows[width] > FEW:
                    tiles[width + FEW_PIXELS] = FEW
                for kind, count in tiles.items():
                    with builder.if_then(builder.icmp_signed("==", args[0], integer(kind))):
                        _dense(builder, a, count, width)
            return context.get_dummy_value()

        return types.void(*kinds), generate

    return tile


def _dense(builder: Any, a: _Arguments, rows: int, columns: int) -> None:
    totals, zeros = (
        [emit.load_ints(builder, at(builder, a.columns, (n * columns + j) * LANES)) for j in range(columns)]
        for n in range(2)
    )
    sums = []
    for r in range(rows):
        zero, rest = (
            emit.splat_int(builder, emit.element(builder, at(builder, a.terms, 2 * r + n))) for n in range(2)
        )
        sums.append(
            [
                emit.variable(
                    builder,
                    builder.neg(builder.add(builder.mul(zero, total), builder.mul(rest, point))),
                )
                for total, point in zip(totals, zeros, strict=True)
            ]
        )
    base = builder.inttoptr(a.x, emit.BYTE.as_pointer())
    bounds.enclosing(builder, base, a.weights)
    starts = [at(builder, base, builder.mul(a.row_step, integer(r))) for r in range(rows)]
    with for_range(builder, a.depth) as loop:
        row = at(builder, a.weights, builder.mul(loop.index, integer(4 * columns * LANES)))
        weights = [emit.load_ints(builder, at(builder, row, 4 * j * LANES)) for j in range(columns)]
        place = builder.mul(loop.index, integer(4))
        for start, variables in zip(starts, sums, strict=True):
            four = emit.four_bytes(builder, at(builder, start, place))
            for weight, variable in zip(weights, variables, strict=True):
                builder.store(dot(builder, builder.load(variable), four, weight), variable)
    is_plain = builder.icmp_signed("!=", builder.and_(a.flags, integer(SUMS)), integer(0))
    with builder.if_else(is_plain) as (as_sums, as_results):
        with as_sums:
            _tile(builder, a, sums, lambda total, _: builder.bitcast(total, emit.VECTOR)).store(
                at(builder, a.sums, a.out_start), a.out_step
            )
        with as_results:
            factors, biases = (
                [emit.load(builder, at(builder, vector, j * LANES)) for j in range(columns)]
                for vector in (a.factors, a.biases)
            )
            tile = _tile(
                builder,
                a,
                sums,
                lambda total, j: emit.fma(builder, builder.sitofp(total, emit.VECTOR), factors[j], biases[j]),
            )
            a.write(builder, tile)


def _tile(builder: Any, a: _Arguments, sums: Any, convert: Any) -> Tile:
    """The sums as a tile of float32 vectors."""
    results = [
        [emit.variable(builder, convert(builder.load(total), j)) for j, total in enumerate(row)]
        for row in sums
    ]
    return Tile(builder, results, a.channel, a.count)


class _Arguments(Results):
    """The arguments of a tile, with addresses for arrays."""

    def __init__(self, context: Any, builder: Any, kinds: Any, args: Any) -> None:
        values = addresses(context, builder, kinds, args)
        _, self.x, self.row_step, self.depth, weights, start, columns, column, terms, term = values[:10]
        self.weights = at(builder, weights, start)
        self.columns, self.terms = at(builder, columns, column), at(builder, terms, term)
        channel = values[13]
        self.factors, self.biases = (at(builder, vector, channel) for vector in values[10:12])
        self.sums = values[12]
        super().__init__(values[13:])


@instruction
def pack_column(
    typing: Any, y: Any, start: Any, row_step: Any, depth: Any, count: Any, flip: Any, w: Any, dest: Any,
    step: Any, columns: Any, place: Any,
) -> Any:  # fmt: skip
    """Pack `LANES` columns of a matrix of bytes ``[depth, …]``, of which `count` exist, and sum them.

    Rows are `row_step` bytes apart from byte `start` of `y` on.  Each byte is combined with `flip` by
    exclusive or; what lies outside is 0.  Groups of four rows go to `w`, `step` bytes apart from `dest` on,
    and the sums to `columns`, from element `place` on.
    """
    i = types.int64

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        arrays = addresses(context, builder, sig.args, args)
        source, target = at(builder, arrays[0], args[1]), at(builder, arrays[6], args[7])
        flips = _splat_byte(builder, builder.trunc(args[5], emit.BYTE))
        total = emit.variable(builder, ir.Constant(INTS, [0] * LANES))
        groups = builder.sdiv(builder.add(args[3], integer(3)), integer(4))
        with for_range(builder, groups) as loop:
            rows = [
                _row(
                    builder, source, args, builder.add(builder.mul(loop.index, integer(4)), integer(n)), flips
                )
                for n in range(4)
            ]
            group = builder.bitcast(interleaved(builder, rows), INTS)
            emit.store_ints(builder, group, at(builder, target, builder.mul(loop.index, args[8])))
            builder.store(dot(builder, builder.load(total), _PAIRS, group), total)
        emit.store_ints(builder, builder.load(total), at(builder, arrays[9], args[10]))
        return context.get_dummy_value()

    return types.void(y, i, i, i, i, i, w, i, i, columns, i), generate


def _row(builder: Any, source: Emitted, args: Any, row: Emitted, flips: Emitted) -> Emitted:
    """The bytes of a row, or zeros after the last row."""
    inside = builder.icmp_signed("<", row, args[3])
    mask = emit.first_lanes(builder, builder.select(inside, args[4], integer(0)))
    loaded = emit.load_bytes_masked(builder, at(builder, source, builder.mul(row, args[2])), mask)
    return builder.select(mask, builder.xor(loaded, flips), ir.Constant(flips.type, [0] * LANES))


def _splat_byte(builder: Any, byte: Emitted) -> Emitted:
    kind = ir.VectorType(emit.BYTE, LANES)
    undefined = ir.Constant(kind, ir.Undefined)
    single = builder.insert_element(undefined, byte, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(single, undefined, ir.Constant(INTS, [0] * LANES))


@instruction
def move_groups(
    typing: Any, x: Any, start: Any, groups: Any, flip: Any, out: Any, dest: Any
) -> Any:  # fmt: skip
    """Copy `groups` times four bytes from byte `start` of `x` to byte `dest` of `out`; their sum.

    `flip`, four bytes as an integer, is combined with each group by exclusive or.
    """
    i = types.int64

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        arrays = addresses(context, builder, sig.args, args)
        source, target = at(builder, arrays[0], args[1]), at(builder, arrays[4], args[5])
        flips = emit.splat_int(builder, builder.trunc(args[3], ir.IntType(32)))
        ones = _PAIRS
        total = emit.variable(builder, ir.Constant(INTS, [0] * LANES))
        vectors = builder.sdiv(builder.add(args[2], integer(LANES - 1)), integer(LANES))
        with for_range(builder, vectors) as loop:
            first = builder.mul(loop.index, integer(LANES))
            mask = emit.first_lanes(builder, builder.sub(args[2], first))
            place = builder.mul(first, integer(4))
            loaded = builder.bitcast(emit.load_masked(builder, at(builder, source, place), mask), INTS)
            flipped = builder.select(mask, builder.xor(loaded, flips), ir.Constant(INTS, [0] * LANES))
            emit.store_part(builder, builder.bitcast(flipped, emit.VECTOR), at(builder, target, place), mask)
            builder.store(dot(builder, builder.load(total), flipped, ones), total)
        return builder.sext(emit.fold(builder, builder.load(total), builder.add), emit.INT)

    return i(x, i, i, i, out, i), generate
