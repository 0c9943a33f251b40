"""Elementwise functions of vectors that only fused groups need."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils

from lite.kernels.cpu.compiled import emit
from lite.kernels.cpu.compiled.jit import inner, instruction
from lite.kernels.cpu.compiled.vector import VECTOR, maximum, splat, where_negative
from lite.kernels.cpu.tile_sizes import LANES


def _by_llvm(name: str) -> Any:
    """A function of one vector that LLVM has an instruction for."""

    def typed(typing: Any, a: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            kind = ir.FunctionType(emit.VECTOR, [emit.VECTOR])
            function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{LANES}f32")
            return builder.call(function, args)

        return VECTOR(VECTOR), generate

    return instruction(typed)


ceil = _by_llvm("ceil")
floor = _by_llvm("floor")
sqrt = _by_llvm("sqrt")


@inner
def absolute(v: Any) -> Any:
    """|v|."""
    return where_negative(v, splat(0.0) - v, v)


@inner
def minimum(a: Any, b: Any) -> Any:
    """The smaller of two; NaN where one of them is."""
    zero = splat(0.0)
    return zero - maximum(zero - a, zero - b)
