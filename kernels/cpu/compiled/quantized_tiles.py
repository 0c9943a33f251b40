"""Tiles of convolutions and products of unsigned bytes with signed weights; the sums are exact.

The result is ``sum · factor + bias`` in float32, then the epilogue, and bytes again if the flag `QUANTIZED`
is set.  `vectors` has for each vector of channels three vectors: the first sums (minus the input's zero point
times the sum of the weights, int32), factors and biases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types

from lite.kernels.cpu.codes import QUANTIZED
from lite.kernels.cpu.compiled import emit
from lite.kernels.cpu.compiled.dot_products import LONGS, dot
from lite.kernels.cpu.compiled.emit import Emitted, at, integer
from lite.kernels.cpu.compiled.epilogue import Tile
from lite.kernels.cpu.compiled.jit import instruction
from lite.kernels.cpu.compiled.numba_internals import for_range
from lite.kernels.cpu.compiled.tiles import FEW, FEW_PIXELS
from lite.kernels.cpu.tile_sizes import LANES

_WORD = ir.IntType(32)


def quantized_tile(rows: Sequence[int]) -> Any:
    """An instruction for a tile of ``rows[columns]`` pixels by `columns` vectors of channels.

    A pixel is `depth` groups of four bytes, and pixels are `pixel_step` bytes apart from the address `x` on.
    Weights are int8 ``[..., depth, columns · LANES, 4]``, from byte `w_start` on.  `columns` selects the tile
    at run time as in `tiles.dense_tile`.
    """

    @instruction
    def tile(
        typing: Any, columns: Any, x: Any, pixel_step: Any, depth: Any, w: Any, w_start: Any, vectors: Any,
        channel: Any, count: Any, flags: Any, parameters: Any, residual: Any, scale: Any, shift: Any,
        out: Any, codes: Any, out_scale: Any, out_zero: Any, out_start: Any, out_step: Any,
    ) -> Any:  # fmt: skip
        i, f = types.int64, types.float32
        kinds = (
            i, i, i, i, w, i, vectors, i, i, i, parameters, residual, scale, shift, out, codes, f, f, i, i,
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
    sums = [[emit.variable(builder, builder.bitcast(v, LONGS)) for v in first] for _ in range(rows)]
    base = builder.inttoptr(a.x, emit.BYTE.as_pointer())
    pixels = [at(builder, base, builder.mul(a.pixel_step, integer(r))) for r in range(rows)]
    with for_range(builder, a.depth) as loop:
        row = at(builder, a.weights, builder.mul(loop.index, integer(4 * columns * LANES)))
        weights = [_longs(builder, at(builder, row, 4 * j * LANES)) for j in range(columns)]
        place = builder.mul(loop.index, integer(4))
        for pixel, variables in zip(pixels, sums, strict=True):
            four = _splat(builder, _word(builder, at(builder, pixel, place)))
            for weight, variable in zip(weights, variables, strict=True):
                builder.store(dot(builder, builder.load(variable), four, weight), variable)
    tile = Tile.new(builder, biases, rows, a.channel, a.count)
    for results, totals in zip(tile.accumulators, sums, strict=True):
        for j, (variable, total) in enumerate(zip(results, totals, strict=True)):
            number = builder.sitofp(builder.load(total), emit.VECTOR)
            builder.store(emit.fma(builder, number, factors[j], biases[j]), variable)
    _finish(builder, a, tile)


Read = Callable[[Emitted, int], Emitted]


def quantized_depthwise_tile(rows: int) -> Any:
    """An instruction for a tile of `rows` pixels by one or two vectors of channels with their own filters.

    The window of a pixel has `down` rows of `right` pixels, which are `row_step` and `column_step` bytes
    apart.  Weights are float32 ``[taps, depth]``, already times the factors, from element `w_start` on.
    `zero` is the zero point of the bytes, and `vectors` has the biases alone.
    """

    @instruction
    def tile(
        typing: Any, pixels: Any, x: Any, pixel_step: Any, row_step: Any, column_step: Any, down: Any,
        right: Any, zero: Any, depth: Any, w: Any, w_start: Any, vectors: Any, channel: Any, count: Any,
        flags: Any, parameters: Any, residual: Any, scale: Any, shift: Any, out: Any, codes: Any,
        out_scale: Any, out_zero: Any, out_start: Any, out_step: Any,
    ) -> Any:  # fmt: skip
        i, f = types.int64, types.float32
        kinds = (
            i, i, i, i, i, i, i, i, i, w, i, vectors, i, i, i, parameters, residual, scale, shift, out, codes,
            f, f, i, i,
        )  # fmt: skip

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            a = _DepthwiseArguments(context, builder, sig.args, args)
            with builder.if_else(builder.icmp_signed("==", args[0], integer(1))) as (one, many):
                with one:
                    _vectors(builder, a, 1)
                with many:
                    _vectors(builder, a, rows)
            return context.get_dummy_value()

        return types.void(*kinds), generate

    return tile


def _vectors(builder: Any, a: _DepthwiseArguments, rows: int) -> None:
    """Emit a tile of two vectors, of one, and of a part of one; the number of channels selects it."""
    zero = emit.splat(builder, builder.sitofp(a.zero, emit.FLOAT))

    def whole(address: Emitted, column: int) -> Emitted:
        return builder.fsub(emit.load_numbers(builder, at(builder, address, column * LANES)), zero)

    with builder.if_else(builder.icmp_signed(">=", a.count, integer(2 * LANES))) as (two, fewer):
        with two:
            _depthwise(builder, a, rows, 2, whole)
        with fewer, builder.if_else(builder.icmp_signed(">=", a.count, integer(LANES))) as (one, part):
            with one:
                _depthwise(builder, a, rows, 1, whole)
            with part:
                mask = emit.first_lanes(builder, a.count)

                def masked(address: Emitted, _: int) -> Emitted:
                    return builder.fsub(emit.load_numbers_masked(builder, address, mask), zero)

                _depthwise(builder, a, rows, 1, masked)


_UNROLLED = ((3, 1), (5, 1), (3, 2), (5, 2))
"""Widths and strides of windows for which each pixel is loaded once for all windows that contain it."""

_FALSE, _TRUE = ir.Constant(ir.IntType(1), 0), ir.Constant(ir.IntType(1), 1)


def _depthwise(builder: Any, a: _DepthwiseArguments, rows: int, columns: int, read: Read) -> None:
    first = [
        emit.load(builder, at(builder, a.vectors, builder.add(a.channel, integer(j * LANES))))
        for j in range(columns)
    ]
    tile = Tile.new(builder, first, rows, a.channel, a.count)
    is_done = emit.variable(builder, _FALSE)
    for width, stride in _UNROLLED if rows > 1 else ():
        fits = builder.and_(
            builder.icmp_signed("==", a.right, integer(width)),
            builder.icmp_signed("==", a.pixel_step, builder.mul(a.column_step, integer(stride))),
        )
        with builder.if_then(fits):
            _windows(builder, a, tile, read, width, stride)
            builder.store(_TRUE, is_done)
    is_left = builder.not_(builder.load(is_done))
    with (
        builder.if_then(is_left),
        for_range(builder, a.down) as down,
        for_range(builder, a.right) as right,
    ):
        tap = builder.add(builder.mul(down.index, a.right), right.index)
        weight = at(builder, a.weights, builder.mul(tap, a.depth))
        place = at(builder, a.window, builder.mul(down.index, a.row_step))
        place = at(builder, place, builder.mul(right.index, a.column_step))
        for j in range(columns):
            factor = emit.load(builder, at(builder, weight, j * LANES))
            for r in range(rows):
                pixel = at(builder, place, builder.mul(a.pixel_step, integer(r)))
                _add_product(builder, tile.accumulators[r][j], read(pixel, j), factor)
    _finish(builder, a, tile)


def _windows(builder: Any, a: _DepthwiseArguments, tile: Tile, read: Read, width: int, stride: int) -> None:
    rows, columns = len(tile.accumulators), len(tile.accumulators[0])
    with for_range(builder, a.down) as loop:
        row = at(builder, a.window, builder.mul(loop.index, a.row_step))
        base = at(builder, a.weights, builder.mul(builder.mul(loop.index, a.right), a.depth))
        taps = [at(builder, base, builder.mul(a.depth, integer(tap))) for tap in range(width)]
        factors = [[emit.load(builder, at(builder, tap, j * LANES)) for j in range(columns)] for tap in taps]
        for n in range((rows - 1) * stride + width):
            place = at(builder, row, builder.mul(a.column_step, integer(n)))
            for j in range(columns):
                pixel = read(place, j)
                for r in range(rows):
                    if 0 <= n - r * stride < width:
                        _add_product(builder, tile.accumulators[r][j], pixel, factors[n - r * stride][j])


def _add_product(builder: Any, variable: Emitted, a: Emitted, b: Emitted) -> None:
    builder.store(emit.fma(builder, a, b, builder.load(variable)), variable)


class _End:
    """The arguments of the epilogue and of the stores, the last ones of both tiles."""

    def __init__(self, values: Sequence[Emitted]) -> None:
        self.vectors, self.channel, self.count, self.flags, self.parameters = values[:5]
        self.residual, self.scale, self.shift, self.out, self.codes = values[5:10]
        self.out_scale, self.out_zero, self.out_start, self.out_step = values[10:]


def _addresses(context: Any, builder: Any, kinds: Any, args: Any) -> list[Emitted]:
    return [
        emit.data(context, builder, kind, value) if isinstance(kind, types.Array) else value
        for kind, value in zip(kinds, args, strict=True)
    ]


class _Arguments(_End):
    """The arguments of a dense tile, with addresses for arrays."""

    def __init__(self, context: Any, builder: Any, kinds: Any, args: Any) -> None:
        values = _addresses(context, builder, kinds, args)
        _, self.x, self.pixel_step, self.depth, weights, start = values[:6]
        self.weights = at(builder, weights, start)
        super().__init__(values[6:])


class _DepthwiseArguments(_End):
    """The arguments of a depthwise tile, with addresses for arrays."""

    def __init__(self, context: Any, builder: Any, kinds: Any, args: Any) -> None:
        values = _addresses(context, builder, kinds, args)
        _, x, self.pixel_step, self.row_step, self.column_step, self.down, self.right = values[:7]
        self.zero, self.depth, weights, start = values[7:11]
        self.window = builder.inttoptr(x, emit.BYTE.as_pointer())
        self.weights = at(builder, weights, start)
        super().__init__(values[11:])


def _finish(builder: Any, a: _End, tile: Tile) -> None:
    """Apply the epilogue and write the tile, as bytes or as float32."""
    residual = at(builder, a.residual, a.out_start)
    tile.apply_epilogue(a.flags, residual, a.out_step, a.parameters, a.scale, a.shift)
    is_quantized = builder.icmp_signed("!=", builder.and_(a.flags, integer(QUANTIZED)), integer(0))
    with builder.if_else(is_quantized) as (as_bytes, as_floats):
        with as_bytes:
            tile.store_quantized(at(builder, a.codes, a.out_start), a.out_step, a.out_scale, a.out_zero)
        with as_floats:
            tile.store(at(builder, a.out, a.out_start), a.out_step)


def _longs(builder: Any, address: Emitted) -> Emitted:
    loaded = builder.load(builder.bitcast(address, LONGS.as_pointer()))
    loaded.align = 1
    return loaded


def _word(builder: Any, address: Emitted) -> Emitted:
    loaded = builder.load(builder.bitcast(address, _WORD.as_pointer()))
    loaded.align = 1
    return loaded


def _splat(builder: Any, word: Emitted) -> Emitted:
    undefined = ir.Constant(LONGS, ir.Undefined)
    single = builder.insert_element(undefined, word, ir.Constant(_WORD, 0))
    return builder.shuffle_vector(single, undefined, ir.Constant(LONGS, [0] * LANES))
