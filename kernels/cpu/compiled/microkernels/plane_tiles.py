"""Tiles of neighbouring planes of a channel, which read each plane once for all windows that contain it."""

from __future__ import annotations

from typing import Any

from numba import types

from lite.kernels.cpu.compiled.jit import emit
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.compiled.jit.emit import at, integer
from lite.kernels.cpu.compiled.jit.emit_extremes import larger, smaller
from lite.kernels.cpu.compiled.jit.numba_internals import for_range
from lite.kernels.cpu.compiled.jit.vector import VECTOR
from lite.kernels.cpu.tile_sizes import LANES, PLANES

PLANE_TAPS = 3
"""Planes of a window."""

_VECTORS = 2


@instruction
def convolve_planes(
    typing: Any, x: Any, start: Any, plane: Any, places: Any, w: Any, weight: Any, taps: Any, bias: Any,
    low: Any, high: Any, out: Any, step: Any,
) -> Any:  # fmt: skip
    """Two vectors of outputs of each of `PLANES` planes, between two limits.

    Planes are `plane` elements apart in `x`, and `step` in what is written, from index `out` of `x` on.
    Windows have `taps` elements in each of `PLANE_TAPS` planes; `places` is where they lie in the first one,
    from index `start` on, and `w` has their factors, from index `weight` on.
    """
    i = types.int64
    kinds = (x, i, i, places, w, i, i, types.float32, VECTOR, VECTOR, i, i)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        x, places, w = (emit.data(context, builder, sig.args[n], args[n]) for n in (0, 3, 4))
        _, start, plane, _, _, weight, taps, bias, low, high, out, step = args
        first, factors = at(builder, x, start), at(builder, w, weight)
        sums = [
            [emit.variable(builder, emit.splat(builder, bias)) for _ in range(_VECTORS)]
            for _ in range(PLANES)
        ]
        with for_range(builder, taps) as loop:
            window = at(builder, first, emit.element(builder, at(builder, places, loop.index), 8))
            factor = at(builder, factors, loop.index)
            splats = [
                emit.splat(
                    builder,
                    emit.element(builder, at(builder, factor, builder.mul(taps, integer(tap)))),
                )
                for tap in range(PLANE_TAPS)
            ]
            for n in range(PLANES + PLANE_TAPS - 1):
                row = at(builder, window, builder.mul(plane, integer(n)))
                for j in range(_VECTORS):
                    v = emit.load(builder, at(builder, row, j * LANES))
                    for tap in range(PLANE_TAPS):
                        if 0 <= n - tap < PLANES:
                            total = sums[n - tap][j]
                            builder.store(emit.fma(builder, v, splats[tap], builder.load(total)), total)
        for n, vectors in enumerate(sums):
            target = at(builder, x, builder.add(out, builder.mul(step, integer(n))))
            for j, total in enumerate(vectors):
                v = smaller(builder, larger(builder, builder.load(total), low), high)
                emit.store(builder, v, at(builder, target, j * LANES))
        return context.get_dummy_value()

    return types.void(*kinds), generate
