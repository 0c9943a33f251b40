"""Matrix products with weights that are stored in fewer bits, in float32."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from lite.kernels.cpu.codes import BFLOATS, HALVES, KIND, NIBBLES
from lite.kernels.cpu.compiled.jit import bounds, emit
from lite.kernels.cpu.compiled.jit.decorators import inner, instruction
from lite.kernels.cpu.compiled.jit.emit import at, integer
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import VECTOR, address, load, store
from lite.kernels.cpu.compiled.microkernels.dense import product
from lite.kernels.cpu.compiled.microkernels.post_activation import apply_to_columns
from lite.kernels.cpu.tile_sizes import LANES, ROWS

_BLOCK = 1 << 14
"""Elements of the rows that are multiplied by a panel; they fit in a second-level cache."""

_WORDS = ir.VectorType(ir.IntType(16), LANES)
_HALVES = ir.VectorType(ir.HalfType(), LANES)
_BYTES = ir.VectorType(emit.BYTE, LANES)


def _splat(byte: int) -> Any:
    return ir.Constant(_BYTES, [byte] * LANES)


def _loaded(size: int, convert: Any) -> Any:
    """A function that loads `LANES` numbers of `size` bytes each, from a flat index on."""

    def typed(typing: Any, array: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            base = emit.data(context, builder, sig.args[0], args[0])
            place = at(builder, base, builder.mul(args[1], integer(size)))
            bounds.check(builder, place, size * LANES)
            kind = _BYTES if size == 1 else _WORDS
            vector = builder.load(builder.bitcast(place, kind.as_pointer()))
            vector.align = 1
            return convert(builder, vector)

        return VECTOR(array, types.int64), generate

    return instruction(typed)


def _of_bfloats(builder: Any, words: Any) -> Any:
    shift = ir.Constant(emit.INTS, [16] * LANES)
    return builder.bitcast(builder.shl(builder.zext(words, emit.INTS), shift), emit.VECTOR)


_load_halves = _loaded(2, lambda b, words: b.fpext(b.bitcast(words, _HALVES), emit.VECTOR))
_load_bfloats = _loaded(2, _of_bfloats)
_load_signed = _loaded(1, lambda b, numbers: b.sitofp(numbers, emit.VECTOR))
_load_low = _loaded(1, lambda b, numbers: b.uitofp(b.and_(numbers, _splat(15)), emit.VECTOR))
_load_high = _loaded(1, lambda b, numbers: b.uitofp(b.lshr(numbers, _splat(4)), emit.VECTOR))


@inner
def _expand(
    w: Any,
    place: int,
    depth: int,
    lanes: int,
    kind: int,
    scales: Any,
    zeros: Any,
    scale_place: int,
    rows: int,
    panel: Any,
) -> None:
    """Write a panel ``[depth, lanes]`` of `w`, from index `place` on, as float32 to `panel`.

    Integers are multiplied by the row of `scales` for their block of `rows` rows, and those of 4 bits less
    the row of `zeros` before.
    """
    for k in range(depth):
        first = k * lanes
        scale = scale_place + k // rows * lanes
        for n in range(0, lanes, LANES):
            if kind == HALVES:
                store(_load_halves(w, place + first + n), panel, first + n)
            elif kind == BFLOATS:
                store(_load_bfloats(w, place + first + n), panel, first + n)
            elif kind == NIBBLES:
                byte = place + k // 2 * lanes + n
                numbers = _load_high(w, byte) if k & 1 else _load_low(w, byte)
                numbers = (numbers - load(zeros, scale + n)) * load(scales, scale + n)
                store(numbers, panel, first + n)
            else:
                store(_load_signed(w, place + first + n) * load(scales, scale + n), panel, first + n)


@entry("r", "b", "r", "r", "r", "r", "s", "w", "i", "i", "i", "i", "i", "i", "i", "i")
def multiply(
    x: Any, w: Any, scales: Any, zeros: Any, bias: Any, parameters: Any, panel: Any, out: Any, flags: int,
    kind: int, columns: int, rows: int, depth: int, scaled: int, blocks: int, channels: int, begin: int,
    end: int,
) -> None:  # fmt: skip
    """All rows of `x` ``[rows, depth]`` times the panels `begin` to `end` of `w`, of `columns` vectors.

    `kind` is the type of the weights.  Integers have `blocks` scales for each channel, ``[panels, blocks,
    panel]``, each for `scaled` rows, and those of 4 bits as many `zeros`.  `panel` is scratch memory for one
    panel as float32.
    """
    lanes, step = columns * LANES, ROWS[columns]
    block = max(_BLOCK // depth // step, 1) * step
    stored = (depth + 1) // 2 if kind == NIBBLES else depth
    first_channel, end_channel = begin * lanes, min(end * lanes, channels)
    for channel in range(first_channel, end_channel, lanes):
        _expand(w, channel * stored, depth, lanes, kind, scales, zeros, channel * blocks, scaled, panel)
        for first in range(0, rows, block):
            product(
                columns, address(x, first * depth), min(block, rows - first), depth, panel, 0, bias, channel,
                channels - channel, flags, parameters, bias, bias, bias, out, first * channels + channel,
                channels,
            )  # fmt: skip
    if flags >> KIND:
        apply_to_columns(out, 0, rows, channels, first_channel, end_channel, flags, parameters, bias, bias)
