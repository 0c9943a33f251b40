"""Functions of vectors that only the loops of fusion_group use."""

from __future__ import annotations

from typing import Any

from numba import types

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


@instruction
def load_codes(typing: Any, array: Any, index: Any) -> Any:
    """The `LANES` bytes from a flat index on, as numbers from 0 to 255."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[0], args[0])
        return emit.load_numbers(builder, emit.at(builder, base, args[1]))

    return VECTOR(array, types.int64), generate


@instruction
def load_codes_part(typing: Any, array: Any, index: Any, count: Any) -> Any:
    """The first `count` bytes from a flat index on, at most `LANES`, and 0 in the other lanes."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[0], args[0])
        mask = emit.first_lanes(builder, args[2])
        return emit.load_numbers_masked(builder, emit.at(builder, base, args[1]), mask)

    return VECTOR(array, types.int64, types.int64), generate


@instruction
def store_codes(typing: Any, vector: Any, zero: Any, array: Any, index: Any) -> Any:
    """Write ``round(vector) + zero``, saturated, to the `LANES` bytes from a flat index on."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[2], args[2])
        codes = emit.quantized(builder, args[0], args[1])
        emit.store_bytes(builder, codes, emit.at(builder, base, args[3]))
        return context.get_dummy_value()

    return types.void(VECTOR, VECTOR, array, types.int64), generate


@instruction
def store_codes_part(typing: Any, vector: Any, zero: Any, array: Any, index: Any, count: Any) -> Any:
    """Write the first `count` lanes, at most `LANES`, of what `store_codes` writes."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[2], args[2])
        codes, mask = emit.quantized(builder, args[0], args[1]), emit.first_lanes(builder, args[4])
        emit.store_bytes_masked(builder, codes, emit.at(builder, base, args[3]), mask)
        return context.get_dummy_value()

    return types.void(VECTOR, VECTOR, array, types.int64, types.int64), generate
