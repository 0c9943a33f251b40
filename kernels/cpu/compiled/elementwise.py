"""Functions of vectors that only the loops of fusion_group use."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled import emit
from lite.kernels.cpu.compiled.jit import inner, instruction
from lite.kernels.cpu.compiled.vector import VECTOR, maximum, splat, where_negative


def _by_llvm(name: str) -> Any:
    """A function of one vector that is an intrinsic of LLVM."""

    def typed(typing: Any, a: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return emit.by_llvm(builder, name, *args)

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
    """min(a, b); NaN where either is NaN."""
    zero = splat(0.0)
    return zero - maximum(zero - a, zero - b)
