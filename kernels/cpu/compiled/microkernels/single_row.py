"""The product of one row with packed weights."""

from __future__ import annotations

import functools
from typing import Any

from numba import types

from lite.kernels.cpu.compiled.jit import emit
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.compiled.jit.emit import Emitted, at, integer
from lite.kernels.cpu.compiled.jit.numba_internals import for_range
from lite.kernels.cpu.tile_sizes import LANES, ROWS

_SUMS = 8
"""About how many vectors are summed at a time, so that products do not wait for each other."""


@instruction
def multiply_row(
    typing: Any, columns: Any, x: Any, start: Any, depth: Any, w: Any, bias: Any, width: Any, out: Any,
    dest: Any,
) -> Any:  # fmt: skip
    """``out[n] = Σ x[k] · w[k, n] + bias[n]`` of `depth` elements of `x`, for `width` results.

    `x` and `out` are read and written from the indices `start` and `dest` on.  Weights are packed as
    ``[panels, depth, columns · LANES]``; `bias` has numbers for whole panels.
    """
    i = types.int64
    kinds = (i, x, i, i, w, bias, i, out, i)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        arrays = {n: emit.data(context, builder, sig.args[n], args[n]) for n in (1, 4, 5, 7)}
        row, target = at(builder, arrays[1], args[2]), at(builder, arrays[7], args[8])
        for count in range(1, len(ROWS)):
            with builder.if_then(builder.icmp_signed("==", args[0], integer(count))):
                _panels(builder, count, row, args[3], arrays[4], arrays[5], args[6], target)
        return context.get_dummy_value()

    return types.void(*kinds), generate


def _panels(
    builder: Any, columns: int, row: Emitted, depth: Emitted, w: Emitted, bias: Emitted, width: Emitted,
    out: Emitted,
) -> None:  # fmt: skip
    lanes, parts = columns * LANES, -(-_SUMS // columns)
    panels = builder.sdiv(builder.add(width, integer(lanes - 1)), integer(lanes))
    with for_range(builder, panels) as panel:
        first = builder.mul(panel.index, integer(lanes))
        weights = at(builder, w, builder.mul(first, depth))
        biases = at(builder, bias, first)
        sums = [[emit.variable(builder, emit.constant(0.0)) for _ in range(columns)] for _ in range(parts)]
        for j, total in enumerate(sums[0]):
            builder.store(emit.load(builder, at(builder, biases, j * LANES)), total)

        def add(k: Emitted, part: int) -> None:
            element = emit.splat(builder, emit.element(builder, at(builder, row, k)))
            factors = at(builder, weights, builder.mul(k, integer(lanes)))
            for j, total in enumerate(sums[part]):
                factor = emit.load(builder, at(builder, factors, j * LANES))
                builder.store(emit.fma(builder, element, factor, builder.load(total)), total)

        whole = builder.sdiv(depth, integer(parts))
        with for_range(builder, whole) as loop:
            k = builder.mul(loop.index, integer(parts))
            for part in range(parts):
                add(builder.add(k, integer(part)), part)
        done = builder.mul(whole, integer(parts))
        with for_range(builder, builder.sub(depth, done)) as loop:
            add(builder.add(done, loop.index), 0)
        _store(builder, sums, at(builder, out, first), builder.sub(width, first))


def _store(builder: Any, sums: list[list[Emitted]], out: Emitted, left: Emitted) -> None:
    """Write the totals of all parts, as many as are `left`."""
    parts = [[builder.load(total) for total in part] for part in sums]
    totals = [functools.reduce(builder.fadd, vectors) for vectors in zip(*parts, strict=True)]
    is_whole = builder.icmp_signed(">=", left, integer(len(totals) * LANES))
    with builder.if_else(is_whole) as (whole, part):
        with whole:
            for j, total in enumerate(totals):
                emit.store(builder, total, at(builder, out, j * LANES))
        with part:
            for j, total in enumerate(totals):
                mask = emit.first_lanes(builder, builder.sub(left, integer(j * LANES)))
                emit.store_part(builder, total, at(builder, out, j * LANES), mask)
