"""A vector of float32 as a value in compiled functions.

Arrays of any rank are addressed by the flat index of an element.  Vectors are added, subtracted,
multiplied and divided with the operators.
"""

from __future__ import annotations

import operator
from typing import Any

from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model

from lite.kernels.cpu.compiled import emit
from lite.kernels.cpu.compiled.jit import instruction
from lite.kernels.cpu.tile_sizes import LANES


class VectorType(types.Type):
    """`LANES` numbers of float32, in one register."""

    def __init__(self) -> None:
        super().__init__(name=f"Vector{LANES}")


VECTOR = VectorType()


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: VectorType) -> None:
        super().__init__(manager, kind, emit.VECTOR)


def _register_operator(function: Any, name: str) -> None:
    class _Template(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:
            return signature(VECTOR, *args) if args == (VECTOR, VECTOR) else None

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, name)(*args)

    infer_global(function)(_Template)
    lower_builtin(function, VECTOR, VECTOR)(lower)


for _function, _name in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _register_operator(_function, _name)


@instruction
def splat(typing: Any, number: Any) -> Any:
    """One number in all lanes."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit.splat(builder, args[0])

    return VECTOR(types.float32), generate


@instruction
def load(typing: Any, array: Any, index: Any) -> Any:
    """The elements from a flat index on."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[0], args[0])
        return emit.load(builder, emit.at(builder, base, args[1]))

    return VECTOR(array, types.int64), generate


@instruction
def load_part(typing: Any, array: Any, index: Any, count: Any) -> Any:
    """The first `count` elements from a flat index on, all where it is `LANES` or more; 0 behind them."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[0], args[0])
        mask = emit.first_lanes(builder, args[2])
        return emit.load_masked(builder, emit.at(builder, base, args[1]), mask)

    return VECTOR(array, types.int64, types.int64), generate


@instruction
def store(typing: Any, vector: Any, array: Any, index: Any) -> Any:
    """Write all lanes from a flat index on."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[1], args[1])
        emit.store(builder, args[0], emit.at(builder, base, args[2]))
        return context.get_dummy_value()

    return types.void(VECTOR, array, types.int64), generate


@instruction
def store_part(typing: Any, vector: Any, array: Any, index: Any, count: Any) -> Any:
    """Write the first `count` lanes, all where it is `LANES` or more."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[1], args[1])
        mask = emit.first_lanes(builder, args[3])
        emit.store_masked(builder, args[0], emit.at(builder, base, args[2]), mask)
        return context.get_dummy_value()

    return types.void(VECTOR, array, types.int64, types.int64), generate


@instruction
def fma(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """``a · b + c``, rounded once."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit.fma(builder, *args)

    return VECTOR(VECTOR, VECTOR, VECTOR), generate


@instruction
def larger(typing: Any, a: Any, bound: Any) -> Any:
    """max(a, bound); NaN where `a` is."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit.larger(builder, *args)

    return VECTOR(VECTOR, VECTOR), generate


@instruction
def maximum(typing: Any, a: Any, b: Any) -> Any:
    """The larger of two; NaN where one of them is."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit.maximum(builder, *args)

    return VECTOR(VECTOR, VECTOR), generate


@instruction
def smaller(typing: Any, a: Any, bound: Any) -> Any:
    """min(a, bound); NaN where `a` is."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit.smaller(builder, *args)

    return VECTOR(VECTOR, VECTOR), generate


@instruction
def where_negative(typing: Any, a: Any, then: Any, otherwise: Any) -> Any:
    """Lanes of `then` where `a` is below 0, else those of `otherwise`."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        a, then, otherwise = args
        return builder.select(builder.fcmp_ordered("<", a, emit.constant(0.0)), then, otherwise)

    return VECTOR(VECTOR, VECTOR, VECTOR), generate


@instruction
def total(typing: Any, a: Any) -> Any:
    """The sum of all lanes."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit.fold(builder, args[0], builder.fadd)

    return types.float32(VECTOR), generate


@instruction
def largest(typing: Any, a: Any) -> Any:
    """The largest lane."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit.fold(builder, args[0], lambda a, b: builder.select(builder.fcmp_ordered(">", a, b), a, b))

    return types.float32(VECTOR), generate


@instruction
def exp(typing: Any, a: Any) -> Any:
    """e to the power of `a`, to about 1e-7 of it; 0 below -87.3, infinite above 88.7."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit.exp(builder, args[0])

    return VECTOR(VECTOR), generate


@instruction
def copy(typing: Any, target: Any, to: Any, source: Any, start: Any, count: Any) -> Any:
    """Copy `count` elements between flat indices of arrays that do not overlap."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        target = emit.at(builder, emit.data(context, builder, sig.args[0], args[0]), args[1])
        source = emit.at(builder, emit.data(context, builder, sig.args[2], args[2]), args[3])
        cgutils.raw_memcpy(builder, target, source, args[4], 4)
        return context.get_dummy_value()

    return types.void(target, types.int64, source, types.int64, types.int64), generate


@instruction
def clear(typing: Any, target: Any, start: Any, count: Any) -> Any:
    """Set `count` elements from a flat index on to 0."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        target = emit.at(builder, emit.data(context, builder, sig.args[0], args[0]), args[1])
        cgutils.memset(builder, target, builder.mul(args[2], emit.integer(4)), 0)
        return context.get_dummy_value()

    return types.void(target, types.int64, types.int64), generate


@instruction
def address(typing: Any, array: Any, index: Any) -> Any:
    """The address of the element at a flat index: what tiles read from."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[0], args[0])
        return builder.ptrtoint(emit.at(builder, base, args[1]), emit.INT)

    return types.int64(array, types.int64), generate


@instruction
def turn_block(typing: Any, x: Any, start: Any, step: Any, out: Any, goal: Any, out_step: Any) -> Any:
    """Write the `LANES` rows of `LANES` elements from `start` on, `step` apart, as columns."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        source = emit.at(builder, emit.data(context, builder, sig.args[0], args[0]), args[1])
        target = emit.at(builder, emit.data(context, builder, sig.args[3], args[3]), args[4])
        rows = [emit.at(builder, source, builder.mul(args[2], emit.integer(n))) for n in range(LANES)]
        for n, column in enumerate(emit.turned(builder, [emit.load(builder, row) for row in rows])):
            emit.store(builder, column, emit.at(builder, target, builder.mul(args[5], emit.integer(n))))
        return context.get_dummy_value()

    return types.void(x, types.int64, types.int64, out, types.int64, types.int64), generate
