"""Functions that combine two numbers or vectors into one, or all lanes of a vector."""

from __future__ import annotations

from typing import Any

from numba import types

from lite.kernels.cpu.compiled.jit import emit, emit_extremes
from lite.kernels.cpu.compiled.jit.decorators import inner, instruction
from lite.kernels.cpu.compiled.jit.vector import VECTOR


@inner
def add(a: Any, b: Any) -> Any:
    """a + b."""
    return a + b


@inner
def subtract(a: Any, b: Any) -> Any:
    """a − b."""
    return a - b


@inner
def multiply(a: Any, b: Any) -> Any:
    """a · b."""
    return a * b


@inner
def divide(a: Any, b: Any) -> Any:
    """a / b."""
    return a / b


@inner
def larger_number(a: Any, b: Any) -> Any:
    """max(a, b) of numbers; NaN where either is NaN."""
    return a if a > b or a != a else b


@inner
def smaller_number(a: Any, b: Any) -> Any:
    """min(a, b) of numbers; NaN where either is NaN."""
    return a if a < b or a != a else b


@instruction
def minimum(typing: Any, a: Any, b: Any) -> Any:
    """min(a, b) of vectors; NaN where either is NaN."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit_extremes.minimum(builder, *args)

    return VECTOR(VECTOR, VECTOR), generate


@instruction
def product_of_lanes(typing: Any, a: Any) -> Any:
    """The product of all lanes."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit.fold(builder, args[0], builder.fmul)

    return types.float32(VECTOR), generate


@instruction
def largest_lane(typing: Any, a: Any) -> Any:
    """The largest lane; NaN where any lane is NaN."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit.fold(builder, args[0], lambda a, b: emit_extremes.maximum(builder, a, b))

    return types.float32(VECTOR), generate


@instruction
def smallest_lane(typing: Any, a: Any) -> Any:
    """The smallest lane; NaN where any lane is NaN."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit.fold(builder, args[0], lambda a, b: emit_extremes.minimum(builder, a, b))

    return types.float32(VECTOR), generate


@instruction
def load_rest(typing: Any, array: Any, index: Any, count: Any, other: Any) -> Any:
    """The first `count` elements from a flat index on, and `other` in the remaining lanes."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        mask = emit.first_lanes(builder, args[2])
        address = emit.at(builder, emit.data(context, builder, sig.args[0], args[0]), args[1])
        return builder.select(mask, emit.load_masked(builder, address, mask), emit.splat(builder, args[3]))

    return VECTOR(array, types.int64, types.int64, types.float32), generate
