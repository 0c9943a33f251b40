"""Depthwise tiles: a few neighbouring pixels by one or two vectors of channels with their own filters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types

from lite.kernels.cpu.compiled.jit import bounds, emit
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.compiled.jit.emit import Emitted, at, integer
from lite.kernels.cpu.compiled.jit.numba_internals import for_range
from lite.kernels.cpu.compiled.microkernels.epilogue import Tile
from lite.kernels.cpu.compiled.microkernels.results import Results, addresses
from lite.kernels.cpu.compiled.microkernels.tiles import add_product
from lite.kernels.cpu.tile_sizes import FEW_DEPTHWISE_ROWS as FEW
from lite.kernels.cpu.tile_sizes import LANES


def depthwise_tile(rows: int, *, of_bytes: bool) -> Any:
    """An instruction for a tile of `rows` pixels.

    Elements are float32, or bytes with the zero point `zero`.  The window of a pixel has `down` rows of
    `right` pixels, which are `row_step` and `column_step` elements apart; the windows of the tile's pixels
    are `pixel_step` elements apart, and `x` is the address of the first one.  Weights are float32
    ``[taps, depth]``, and `w_start` is the index of the first tap at the tile's channel.  The tile has two
    vectors where `count` channels fill them, and one pixel or `FEW` if `pixels` is that.
    """

    @instruction
    def tile(
        typing: Any, pixels: Any, x: Any, pixel_step: Any, row_step: Any, column_step: Any, down: Any,
        right: Any, zero: Any, depth: Any, w: Any, w_start: Any, bias: Any, channel: Any, count: Any,
        flags: Any, parameters: Any, residual: Any, scale: Any, shift: Any, out: Any, codes: Any,
        out_scale: Any, out_zero: Any, out_start: Any, out_step: Any,
    ) -> Any:  # fmt: skip
        i, f = types.int64, types.float32
        kinds = (
            i, i, i, i, i, i, i, i, i, w, i, bias, i, i, i, parameters, residual, scale, shift, out, codes,
            f, f, i, i,
        )  # fmt: skip

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            a = _Arguments(context, builder, sig.args, args, emit.BYTE if of_bytes else emit.FLOAT)
            read = _Bytes(builder, a.zero) if of_bytes else _Floats(builder)
            with builder.if_else(builder.icmp_signed("==", args[0], integer(1))) as (one, more):
                with one:
                    _vectors(builder, a, 1, read)
                with more, builder.if_else(builder.icmp_signed("==", args[0], integer(FEW))) as (few, many):
                    with few:
                        _vectors(builder, a, FEW, read)
                    with many:
                        _vectors(builder, a, rows, read)
            return context.get_dummy_value()

        return types.void(*kinds), generate

    return tile


class _Floats:
    """Loads vectors of float32."""

    def __init__(self, builder: Any) -> None:
        self._builder = builder

    def whole(self, address: Emitted) -> Emitted:
        return emit.load(self._builder, address)

    def masked(self, address: Emitted, mask: Emitted) -> Emitted:
        return emit.load_masked(self._builder, address, mask)


class _Bytes:
    """Loads vectors of bytes as float32, minus their zero point."""

    def __init__(self, builder: Any, zero: Emitted) -> None:
        self._builder = builder
        self._zero = emit.splat(builder, builder.sitofp(zero, emit.FLOAT))

    def whole(self, address: Emitted) -> Emitted:
        return self._builder.fsub(emit.load_numbers(self._builder, address), self._zero)

    def masked(self, address: Emitted, mask: Emitted) -> Emitted:
        return self._builder.fsub(emit.load_numbers_masked(self._builder, address, mask), self._zero)


_Read = Callable[[Emitted, int], Emitted]
"""Loads a vector of a pixel's channels, from the address of its first channel and the vector's number."""


def _vectors(builder: Any, a: _Arguments, rows: int, read: _Floats | _Bytes) -> None:
    """Emit a tile of two vectors, of one, and of a part of one; the number of channels selects it."""

    def whole(address: Emitted, column: int) -> Emitted:
        return read.whole(at(builder, address, column * LANES))

    with builder.if_else(builder.icmp_signed(">=", a.count, integer(2 * LANES))) as (two, fewer):
        with two:
            _depthwise(builder, a, rows, 2, whole)
        with fewer, builder.if_else(builder.icmp_signed(">=", a.count, integer(LANES))) as (one, part):
            with one:
                _depthwise(builder, a, rows, 1, whole)
            with part:
                mask = emit.first_lanes(builder, a.count)
                _depthwise(builder, a, rows, 1, lambda address, _: read.masked(address, mask))


UNROLLED = ((3, 1), (5, 1), (7, 1), (3, 2), (5, 2))
"""Widths and strides of windows for which each pixel is loaded once for all windows that contain it."""

_FALSE, _TRUE = ir.Constant(ir.IntType(1), 0), ir.Constant(ir.IntType(1), 1)


def _depthwise(builder: Any, a: _Arguments, rows: int, columns: int, read: _Read) -> None:
    bias = at(builder, a.bias, a.channel)
    first = [emit.load(builder, at(builder, bias, j * LANES)) for j in range(columns)]
    tile = Tile.new(builder, first, rows, a.channel, a.count)
    weight = emit.variable(builder, a.weights)
    is_done = emit.variable(builder, _FALSE)
    for width, stride in UNROLLED if rows > 1 else ():
        fits = builder.and_(
            builder.icmp_signed("==", a.right, integer(width)),
            builder.icmp_signed("==", a.pixel_step, builder.mul(a.column_step, integer(stride))),
        )
        with builder.if_then(fits):
            _unrolled(builder, a, tile, read, weight, width, stride)
            builder.store(_TRUE, is_done)
    is_left = builder.not_(builder.load(is_done))
    with builder.if_then(is_left), for_range(builder, a.down) as rows_of_window:
        row = at(builder, a.window, builder.mul(rows_of_window.index, a.row_step))
        with for_range(builder, a.right) as loop:
            place = at(builder, row, builder.mul(loop.index, a.column_step))
            address = builder.load(weight)
            bounds.follow(address, a.weights)
            for j in range(columns):
                factor = emit.load(builder, at(builder, address, j * LANES))
                for r in range(rows):
                    pixel = at(builder, place, builder.mul(a.pixel_step, integer(r)))
                    add_product(builder, tile.accumulators[r][j], read(pixel, j), factor)
            builder.store(at(builder, address, a.depth), weight)
    a.write(builder, tile)


def _unrolled(
    builder: Any, a: _Arguments, tile: Tile, read: _Read, weight: Emitted, width: int, stride: int
) -> None:
    rows, columns = len(tile.accumulators), len(tile.accumulators[0])
    with for_range(builder, a.down) as loop:
        row = at(builder, a.window, builder.mul(loop.index, a.row_step))
        address = builder.load(weight)
        bounds.follow(address, a.weights)
        taps = [at(builder, address, builder.mul(a.depth, integer(tap))) for tap in range(width)]
        factors = [[emit.load(builder, at(builder, tap, j * LANES)) for j in range(columns)] for tap in taps]
        for n in range((rows - 1) * stride + width):
            place = at(builder, row, builder.mul(a.column_step, integer(n)))
            for j in range(columns):
                pixel = read(place, j)
                for r in range(rows):
                    if 0 <= n - r * stride < width:
                        add_product(builder, tile.accumulators[r][j], pixel, factors[n - r * stride][j])
        builder.store(at(builder, address, builder.mul(a.depth, integer(width))), weight)


class _Arguments(Results):
    """The arguments of a tile, with addresses for arrays."""

    def __init__(self, context: Any, builder: Any, kinds: Any, args: Any, element: Any) -> None:
        values = addresses(context, builder, kinds, args)
        _, x, self.pixel_step, self.row_step, self.column_step, self.down, self.right = values[:7]
        self.zero, self.depth, weights, start, self.bias = values[7:12]
        self.window = builder.inttoptr(x, element.as_pointer())
        self.weights = at(builder, weights, start)
        bounds.enclosing(builder, self.window, self.weights)
        super().__init__(values[12:])
