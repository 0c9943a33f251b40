"""Tiles of neighbouring outputs of several channels, from inputs whose channels come first."""

from __future__ import annotations

from typing import Any

from numba import types

from lite.kernels.cpu.compiled.jit import emit
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.compiled.jit.emit import at, integer
from lite.kernels.cpu.compiled.jit.emit_extremes import larger, smaller
from lite.kernels.cpu.compiled.jit.numba_internals import for_range
from lite.kernels.cpu.compiled.jit.vector import VECTOR
from lite.kernels.cpu.tile_sizes import LANES


def pixel_tile(channels: int, vectors: int) -> Any:
    """An instruction for so many vectors of outputs of each of so many channels."""

    @instruction
    def convolve(
        typing: Any, x: Any, start: Any, places: Any, w: Any, weight: Any, taps: Any, bias: Any,
        channel: Any, low: Any, high: Any, out: Any, dest: Any, step: Any,
    ) -> Any:  # fmt: skip
        """Outputs between two limits; those of the next channel lie `step` elements further in `out`.

        `places` is where the `taps` elements of a window lie, from index `start` of `x` on.  `w` has
        ``[taps, channels]`` factors from index `weight` on, `bias` one number for each channel.
        """
        i = types.int64
        kinds = (x, i, places, w, i, i, bias, i, VECTOR, VECTOR, out, i, i)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            x, places, w, bias, out = (
                emit.data(context, builder, sig.args[n], args[n]) for n in (0, 2, 3, 6, 10)
            )
            _, start, _, _, weight, taps, _, channel, low, high, _, dest, step = args
            first, factors, biases = at(builder, x, start), at(builder, w, weight), at(builder, bias, channel)
            sums = []
            for n in range(channels):
                initial = emit.splat(builder, emit.element(builder, at(builder, biases, n)))
                sums.append([emit.variable(builder, initial) for _ in range(vectors)])
            with for_range(builder, taps) as loop:
                window = at(builder, first, emit.element(builder, at(builder, places, loop.index), 8))
                factor = at(builder, factors, builder.mul(loop.index, integer(channels)))
                inputs = [emit.load(builder, at(builder, window, n * LANES)) for n in range(vectors)]
                for n, totals in enumerate(sums):
                    splat = emit.splat(builder, emit.element(builder, at(builder, factor, n)))
                    for v, total in zip(inputs, totals, strict=True):
                        builder.store(emit.fma(builder, v, splat, builder.load(total)), total)
            target = at(builder, out, dest)
            for n, totals in enumerate(sums):
                row = at(builder, target, builder.mul(step, integer(n)))
                for j, total in enumerate(totals):
                    v = smaller(builder, larger(builder, builder.load(total), low), high)
                    emit.store(builder, v, at(builder, row, j * LANES))
            return context.get_dummy_value()

        return types.void(*kinds), generate

    return convolve
