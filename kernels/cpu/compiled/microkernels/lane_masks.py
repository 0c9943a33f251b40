"""Comparisons of vectors whose results are integers: one bit for each lane."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from lite.kernels.cpu.compiled.jit import emit
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.compiled.jit.vector import VECTOR
from lite.kernels.cpu.tile_sizes import LANES

_WORD = ir.IntType(64)


def _compared(sign: str) -> Any:
    def typed(typing: Any, a: Any, bound: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            mask = builder.fcmp_unordered(sign, args[0], emit.splat(builder, args[1]))
            return builder.zext(builder.bitcast(mask, ir.IntType(LANES)), _WORD)

        return types.int64(VECTOR, types.float32), generate

    return instruction(typed)


lanes_above = _compared(">")
"""The lanes that are above a number, or are NaN; all lanes if the number is NaN."""

lanes_below = _compared("<")
"""The lanes that are below a number, or are NaN; all lanes if the number is NaN."""


@instruction
def first_lane(typing: Any, mask: Any) -> Any:
    """The first lane of a mask that has one."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit.call(builder, "llvm.cttz.i64", _WORD, [args[0], ir.IntType(1)(1)])

    return types.int64(types.int64), generate
