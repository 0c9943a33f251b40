"""Dense tiles, the innermost loops of convolutions: a few neighbouring pixels, accumulated in registers.

The window of a pixel has `down` rows of `right` segments, which are `row_step` and `column_step` elements
apart.  The windows of a tile's pixels are `pixel_step` elements apart, and `x` is the address of the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numba import types

from lite.kernels.cpu.codes import CONTINUED
from lite.kernels.cpu.compiled.jit import bounds, emit
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.compiled.jit.emit import Emitted, at, integer
from lite.kernels.cpu.compiled.jit.numba_internals import for_range
from lite.kernels.cpu.compiled.microkernels.epilogue import Tile
from lite.kernels.cpu.tile_sizes import LANES

FEW = 4
"""Pixels of a smaller tile, for rows that are shorter than a whole one."""

FEW_PIXELS = 8
"""Added to the argument `columns` to select the smaller tile."""

TWO_PIXELS = 16
"""Added to the argument `columns` to select the tile of two pixels."""

_LONG = 96
"""Elements of a segment whose weights may come from memory; shorter ones, and few pixels, read the caches."""


def dense_tile(rows: Sequence[int]) -> Any:
    """An instruction for a tile of ``rows[columns]`` pixels by `columns` vectors of channels.

    Each segment of `depth` elements is multiplied by `depth` rows of the weights, which are packed as
    ``[..., depth, columns · LANES]``; those that are multiplied next are `ahead` rows after them.  The
    argument `columns` selects the tile at run time: ``-columns`` is a tile of one pixel, ``columns +
    FEW_PIXELS`` one of `FEW` pixels, and ``columns + TWO_PIXELS`` one of two.  ``rows[0]`` is not used.
    """

    @instruction
    def tile(
        typing: Any, columns: Any, x: Any, pixel_step: Any, row_step: Any, column_step: Any, down: Any,
        right: Any, depth: Any, ahead: Any, w: Any, w_start: Any, bias: Any, channel: Any, count: Any,
        flags: Any, parameters: Any, residual: Any, scale: Any, shift: Any, out: Any, out_start: Any,
        out_step: Any,
    ) -> Any:  # fmt: skip
        i = types.int64
        types_of = (
            i, i, i, i, i, i, i, i, i, w, i, bias, i, i, i, parameters, residual, scale, shift, out, i, i,
        )  # fmt: skip

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            arguments = _Arguments(context, builder, sig.args[1:], args[1:])
            for columns in range(1, len(rows)):
                kinds = {columns: rows[columns], -columns: 1, columns + TWO_PIXELS: 2}
                if rows[columns] > FEW:
                    kinds[columns + FEW_PIXELS] = FEW
                for kind, pixels in kinds.items():
                    with builder.if_then(builder.icmp_signed("==", args[0], integer(kind))):
                        _dense(builder, arguments, pixels, columns)
            return context.get_dummy_value()

        return types.void(*types_of), generate

    return tile


def _dense(builder: Any, a: _Arguments, rows: int, columns: int) -> None:
    bias = at(builder, a.bias, a.channel)
    first = [emit.load(builder, at(builder, bias, j * LANES)) for j in range(columns)]
    tile = Tile.new(builder, first, rows, a.channel, a.count)
    tile.read(a.flags, CONTINUED, at(builder, a.out, a.out_start), a.out_step)
    weight = emit.variable(builder, at(builder, a.w, a.w_start))
    # One pixel has few sums, which wait for each other; it gets twice as many.
    zeros = [emit.constant(0.0)] * columns
    others = Tile.new(builder, zeros, 1, a.channel, a.count) if rows == 1 else None

    def segment(place: Emitted) -> None:
        pixels = [at(builder, place, builder.mul(a.pixel_step, integer(r))) for r in range(rows)]
        base = builder.load(weight)
        bounds.follow(base, a.w)
        if others is not None:
            _multiply_pairs(builder, a, (tile, others), pixels, base)
        elif rows <= FEW:
            with for_range(builder, a.depth) as loop:
                _multiply(builder, tile, pixels, base, loop.index)
        else:
            is_long = builder.icmp_signed(">=", a.depth, integer(_LONG))
            with builder.if_else(is_long) as (long, short):
                with long:
                    _multiply_ahead(builder, a, tile, pixels, base)
                with short, for_range(builder, a.depth) as loop:
                    _multiply(builder, tile, pixels, base, loop.index)
        builder.store(at(builder, base, builder.mul(a.depth, integer(columns * LANES))), weight)

    _over_windows(builder, a, segment)
    if others is not None:
        for variable, other in zip(tile.accumulators[0], others.accumulators[0], strict=True):
            builder.store(builder.fadd(builder.load(variable), builder.load(other)), variable)
    _store(builder, a, tile)


def _multiply_ahead(builder: Any, a: _Arguments, tile: Tile, pixels: list[Emitted], weight: Emitted) -> None:
    """Add the products of a segment, while the weights that are multiplied next are read from memory."""
    panel = integer(len(tile.accumulators[0]) * LANES)
    following = at(builder, weight, builder.mul(a.ahead, panel))
    with for_range(builder, a.depth) as loop:
        _multiply(builder, tile, pixels, weight, loop.index)
        row = at(builder, following, builder.mul(loop.index, panel))
        for j in range(len(tile.accumulators[0])):
            emit.prefetch(builder, at(builder, row, j * LANES))


def _multiply_pairs(
    builder: Any, a: _Arguments, tiles: tuple[Tile, Tile], pixels: list[Emitted], weight: Emitted
) -> None:
    """Add the products of even elements to one tile, and those of odd elements to another one."""
    with for_range(builder, builder.sdiv(a.depth, integer(2))) as loop:
        even = builder.mul(loop.index, integer(2))
        _multiply(builder, tiles[0], pixels, weight, even)
        _multiply(builder, tiles[1], pixels, weight, builder.add(even, integer(1)))
    is_odd = builder.icmp_signed("!=", builder.srem(a.depth, integer(2)), integer(0))
    with builder.if_then(is_odd):
        _multiply(builder, tiles[0], pixels, weight, builder.sub(a.depth, integer(1)))


def _multiply(builder: Any, tile: Tile, pixels: list[Emitted], weight: Emitted, k: Emitted) -> None:
    columns = len(tile.accumulators[0])
    row = at(builder, weight, builder.mul(k, integer(columns * LANES)))
    factors = [emit.load(builder, at(builder, row, j * LANES)) for j in range(columns)]
    for pixel, variables in zip(pixels, tile.accumulators, strict=True):
        element = emit.splat(builder, emit.element(builder, at(builder, pixel, k)))
        for factor, variable in zip(factors, variables, strict=True):
            add_product(builder, variable, element, factor)


def add_product(builder: Any, variable: Emitted, a: Emitted, b: Emitted) -> None:
    """Add ``a · b`` to a variable."""
    builder.store(emit.fma(builder, a, b, builder.load(variable)), variable)


class _Arguments:
    """The arguments of a tile, with addresses for arrays."""

    def __init__(self, context: Any, builder: Any, kinds: Any, args: Any) -> None:
        values = [
            emit.data(context, builder, kind, value) if isinstance(kind, types.Array) else value
            for kind, value in zip(kinds, args, strict=True)
        ]
        address, self.pixel_step, self.row_step, self.column_step, self.down = values[:5]
        self.x = builder.inttoptr(address, emit.FLOAT.as_pointer())
        self.right, self.depth, self.ahead, self.w, self.w_start = values[5:10]
        bounds.enclosing(builder, self.x, self.w)
        self.bias, self.channel, self.count, self.flags, self.parameters = values[10:15]
        self.residual, self.scale, self.shift, self.out, self.out_start, self.out_step = values[15:]


def _over_windows(builder: Any, a: _Arguments, segment: Callable[[Emitted], None]) -> None:
    with for_range(builder, a.down) as rows:
        row = at(builder, a.x, builder.mul(rows.index, a.row_step))
        with for_range(builder, a.right) as columns:
            segment(at(builder, row, builder.mul(columns.index, a.column_step)))


def _store(builder: Any, a: _Arguments, tile: Tile) -> None:
    """Apply the epilogue and write the tile."""
    residual = at(builder, a.residual, a.out_start)
    tile.apply_epilogue(a.flags, residual, a.out_step, a.parameters, a.scale, a.shift)
    tile.store(at(builder, a.out, a.out_start), a.out_step)
