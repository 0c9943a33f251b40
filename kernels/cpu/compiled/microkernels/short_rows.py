"""Reductions of `LANES` short rows at once: each row in a vector, then two vectors into one, and so on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types

from lite.kernels.cpu.compiled.jit import emit, emit_extremes
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.compiled.jit.emit import Emitted, at, integer
from lite.kernels.cpu.compiled.jit.numba_internals import for_range
from lite.kernels.cpu.compiled.jit.vector import VECTOR
from lite.kernels.cpu.tile_sizes import LANES

_EVEN = ir.Constant(emit.INTS, [2 * n for n in range(LANES)])
_ODD = ir.Constant(emit.INTS, [2 * n + 1 for n in range(LANES)])


def _of_rows(neutral: float, combine: Callable[[Any, Emitted, Emitted], Emitted]) -> Any:
    @instruction
    def reduce(typing: Any, x: Any, start: Any, size: Any) -> Any:
        """One number for each of `LANES` rows of `size` elements, the first from a flat index on."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            _, start, size = args
            base = at(builder, emit.data(context, builder, sig.args[0], args[0]), start)
            rows = [at(builder, base, builder.mul(size, integer(n))) for n in range(LANES)]
            results = [emit.variable(builder, emit.constant(neutral)) for _ in rows]

            def add(offset: Emitted, load: Callable[[Emitted], Emitted]) -> None:
                for row, variable in zip(rows, results, strict=True):
                    vector = load(at(builder, row, offset))
                    builder.store(combine(builder, builder.load(variable), vector), variable)

            vectors = builder.sdiv(size, integer(LANES))
            with for_range(builder, vectors) as loop:
                add(builder.mul(loop.index, integer(LANES)), lambda address: emit.load(builder, address))
            done = builder.mul(vectors, integer(LANES))
            rest = builder.sub(size, done)
            with builder.if_then(builder.icmp_signed(">", rest, integer(0))):
                mask, other = emit.first_lanes(builder, rest), emit.constant(neutral)
                add(
                    done,
                    lambda address: builder.select(mask, emit.load_masked(builder, address, mask), other),
                )
            found = [builder.load(variable) for variable in results]
            while len(found) > 1:
                found = [
                    combine(builder, *(builder.shuffle_vector(a, b, lanes) for lanes in (_EVEN, _ODD)))
                    for a, b in zip(found[::2], found[1::2], strict=True)
                ]
            return found[0]

        return VECTOR(x, types.int64, types.int64), generate

    return reduce


sums = _of_rows(0.0, lambda builder, a, b: builder.fadd(a, b))
products = _of_rows(1.0, lambda builder, a, b: builder.fmul(a, b))
maxima = _of_rows(float("-inf"), emit_extremes.maximum)
minima = _of_rows(float("inf"), emit_extremes.minimum)
