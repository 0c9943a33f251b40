"""The innermost loops of convolutions: sums for a few neighbouring pixels, held in registers.

Both kinds of tile slide over the same windows: a pixel's window has `down` rows of `right` segments,
`row_step` and `column_step` elements apart; the windows of the tile's pixels are `pixel_step` apart.  `x`
is the address of the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numba.core import cgutils, types

from lite.kernels.cpu.compiled import emit
from lite.kernels.cpu.compiled.emit import Emitted, at, integer
from lite.kernels.cpu.compiled.finish import Tile
from lite.kernels.cpu.compiled.jit import instruction
from lite.kernels.cpu.tile_sizes import LANES

FEW = 4
"""Pixels of a tile where there are too few for a whole one."""

FEW_PIXELS = 8
"""Added to `columns` for such a tile."""


def dense_tile(rows: Sequence[int]) -> Any:
    """A tile of ``rows[columns]`` pixels by `columns` vectors of channels, each the sum of whole segments.

    A segment is `depth` elements, which meet `depth` rows of the weights, packed ``[…, depth, columns ·
    LANES]``.  `columns` is known at run time: minus so many vectors are a tile of one pixel, `FEW_PIXELS`
    more one of `FEW`.  `rows` begins with a number that does not count.
    """

    @instruction
    def tile(
        typing: Any, columns: Any, x: Any, pixel_step: Any, row_step: Any, column_step: Any, down: Any,
        right: Any, depth: Any, w: Any, w_start: Any, bias: Any, channel: Any, count: Any, flags: Any,
        parameters: Any, residual: Any, scale: Any, shift: Any, out: Any, out_start: Any, out_step: Any,
    ) -> Any:  # fmt: skip
        i = types.int64
        types_of = (
            i, i, i, i, i, i, i, i, w, i, bias, i, i, i, parameters, residual, scale, shift, out, i, i,
        )  # fmt: skip

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            arguments = _Arguments(context, builder, sig.args[1:], args[1:])
            for columns in range(1, len(rows)):
                kinds = {columns: rows[columns], -columns: 1}
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
    sums = Tile.new(builder, first, rows, a.channel, a.count)
    weight = cgutils.alloca_once_value(builder, at(builder, a.w, a.w_start))

    def segment(place: Emitted) -> None:
        pixels = [at(builder, place, builder.mul(a.pixel_step, integer(r))) for r in range(rows)]
        base = builder.load(weight)
        with cgutils.for_range(builder, a.depth) as loop:
            _multiply(builder, sums, pixels, base, loop.index)
        builder.store(at(builder, base, builder.mul(a.depth, integer(columns * LANES))), weight)

    _over_windows(builder, a, segment)
    _finish(builder, a, sums)


def _multiply(builder: Any, sums: Tile, pixels: list[Emitted], weight: Emitted, k: Emitted) -> None:
    columns = len(sums.sums[0])
    row = at(builder, weight, builder.mul(k, integer(columns * LANES)))
    factors = [emit.load(builder, at(builder, row, j * LANES)) for j in range(columns)]
    for pixel, variables in zip(pixels, sums.sums, strict=True):
        element = emit.splat(builder, builder.load(at(builder, pixel, k)))
        for factor, variable in zip(factors, variables, strict=True):
            _add_product(builder, variable, element, factor)


Read = Callable[[Emitted, int], Emitted]
"""Loads a column of a pixel, given the address of its first channel."""


def depthwise_tile(rows: int) -> Any:
    """A tile of `rows` pixels, or one, by one or two vectors of channels, each with windows of its own.

    Segments are single pixels, weights ``[taps, depth]``, w_start the first tap at the tile's channel.
    There are two vectors where `count` is at least as much, and `rows` pixels unless `pixels` is 1.
    """

    @instruction
    def tile(
        typing: Any, pixels: Any, x: Any, pixel_step: Any, row_step: Any, column_step: Any, down: Any,
        right: Any, depth: Any, w: Any, w_start: Any,
        bias: Any, channel: Any, count: Any, flags: Any, parameters: Any,
        residual: Any, scale: Any, shift: Any, out: Any, out_start: Any, out_step: Any,
    ) -> Any:  # fmt: skip
        i = types.int64
        kinds = (i, i, i, i, i, i, i, i, w, i, bias, i, i, i, parameters, residual, scale, shift, out, i, i)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            a = _Arguments(context, builder, sig.args[1:], args[1:])
            with builder.if_else(builder.icmp_signed("==", args[0], integer(1))) as (one, many):
                with one:
                    _vectors(builder, a, 1)
                with many:
                    _vectors(builder, a, rows)
            return context.get_dummy_value()

        return types.void(*kinds), generate

    return tile


def _vectors(builder: Any, a: _Arguments, rows: int) -> None:
    """Emit a tile of as many vectors as there are channels for."""

    def whole(address: Emitted, column: int) -> Emitted:
        return emit.load(builder, at(builder, address, column * LANES))

    with builder.if_else(builder.icmp_signed(">=", a.count, integer(2 * LANES))) as (two, fewer):
        with two:
            _depthwise(builder, a, rows, 2, whole)
        with fewer, builder.if_else(builder.icmp_signed(">=", a.count, integer(LANES))) as (one, part):
            with one:
                _depthwise(builder, a, rows, 1, whole)
            with part:
                mask = emit.first_lanes(builder, a.count)

                def masked(address: Emitted, _: int) -> Emitted:
                    return emit.load_masked(builder, address, mask)

                _depthwise(builder, a, rows, 1, masked)


UNROLLED = ((3, 1), (5, 1), (3, 2), (5, 2))
"""Widths and strides of windows whose pixels are loaded once for all windows that they are in."""


def _depthwise(builder: Any, a: _Arguments, rows: int, columns: int, read: Read) -> None:
    bias = at(builder, a.bias, a.channel)
    first = [emit.load(builder, at(builder, bias, j * LANES)) for j in range(columns)]
    sums = Tile.new(builder, first, rows, a.channel, a.count)
    weight = cgutils.alloca_once_value(builder, at(builder, a.w, a.w_start))
    is_done = cgutils.alloca_once_value(builder, cgutils.false_bit)
    for width, stride in UNROLLED if rows > 1 else ():
        fits = builder.and_(
            builder.icmp_signed("==", a.right, integer(width)),
            builder.icmp_signed("==", a.pixel_step, builder.mul(a.column_step, integer(stride))),
        )
        with builder.if_then(fits):
            _unrolled(builder, a, sums, read, weight, width, stride)
            builder.store(cgutils.true_bit, is_done)
    with builder.if_then(builder.not_(builder.load(is_done))):

        def segment(place: Emitted) -> None:
            address = builder.load(weight)
            for j in range(columns):
                factor = emit.load(builder, at(builder, address, j * LANES))
                for r in range(rows):
                    pixel = at(builder, place, builder.mul(a.pixel_step, integer(r)))
                    _add_product(builder, sums.sums[r][j], read(pixel, j), factor)
            builder.store(at(builder, address, a.depth), weight)

        _over_windows(builder, a, segment)
    _finish(builder, a, sums)


def _unrolled(
    builder: Any, a: _Arguments, sums: Tile, read: Read, weight: Emitted, width: int, stride: int
) -> None:
    rows, columns = len(sums.sums), len(sums.sums[0])
    with cgutils.for_range(builder, a.down) as loop:
        row = at(builder, a.x, builder.mul(loop.index, a.row_step))
        address = builder.load(weight)
        taps = [at(builder, address, builder.mul(a.depth, integer(tap))) for tap in range(width)]
        factors = [[emit.load(builder, at(builder, tap, j * LANES)) for j in range(columns)] for tap in taps]
        for n in range((rows - 1) * stride + width):
            place = at(builder, row, builder.mul(a.column_step, integer(n)))
            for j in range(columns):
                pixel = read(place, j)
                for r in range(rows):
                    if 0 <= n - r * stride < width:
                        _add_product(builder, sums.sums[r][j], pixel, factors[n - r * stride][j])
        builder.store(at(builder, address, builder.mul(a.depth, integer(width))), weight)


def _add_product(builder: Any, variable: Emitted, a: Emitted, b: Emitted) -> None:
    builder.store(emit.fma(builder, a, b, builder.load(variable)), variable)


class _Arguments:
    """The arguments of a tile: addresses where they are arrays."""

    def __init__(self, context: Any, builder: Any, kinds: Any, args: Any) -> None:
        found = [
            emit.data(context, builder, kind, value) if isinstance(kind, types.Array) else value
            for kind, value in zip(kinds, args, strict=True)
        ]
        address, self.pixel_step, self.row_step, self.column_step, self.down = found[:5]
        self.x = builder.inttoptr(address, emit.FLOAT.as_pointer())
        self.right, self.depth, self.w, self.w_start = found[5:9]
        self.bias, self.channel, self.count, self.flags, self.parameters = found[9:14]
        self.residual, self.scale, self.shift, self.out, self.out_start, self.out_step = found[14:]


def _over_windows(builder: Any, a: _Arguments, segment: Callable[[Emitted], None]) -> None:
    with cgutils.for_range(builder, a.down) as rows:
        row = at(builder, a.x, builder.mul(rows.index, a.row_step))
        with cgutils.for_range(builder, a.right) as columns:
            segment(at(builder, row, builder.mul(columns.index, a.column_step)))


def _finish(builder: Any, a: _Arguments, sums: Tile) -> None:
    beside = at(builder, a.residual, a.out_start)
    sums.finish(a.flags, beside, a.out_step, a.parameters, a.scale, a.shift)
    sums.store(at(builder, a.out, a.out_start), a.out_step)
