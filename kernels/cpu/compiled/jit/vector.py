"""The vector type of compiled functions, and its instructions.

A vector is `LANES` numbers of float32, which ``+``, ``-``, ``*`` and ``/`` combine lane by lane, and ``-``
negates.  Arrays are
addressed by the flat index of an element, whatever their rank.
"""

from __future__ import annotations

import operator
from typing import Any

from numba import types
from numba.extending import lower_builtin, models, register_model, type_callable

from lite.kernels.cpu.compiled.jit import emit, emit_exp, emit_extremes
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.tile_sizes import LANES


class VectorType(types.Type):  # type: ignore[misc]
    """`LANES` numbers of float32 in one register."""

    def __init__(self) -> None:
        super().__init__(name=f"Vector{LANES}")


VECTOR = VectorType()


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: VectorType) -> None:
        super().__init__(manager, kind, emit.VECTOR)


def _register_operator(function: Any, name: str, *, is_unary: bool = False) -> None:
    def typer(context: Any) -> Any:
        if is_unary:
            return lambda a: VECTOR if a == VECTOR else None
        return lambda a, b: VECTOR if a == b == VECTOR else None

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, name)(*args)

    type_callable(function)(typer)
    lower_builtin(function, *[VECTOR] * (1 if is_unary else 2))(lower)


for _function, _name in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _register_operator(_function, _name)
_register_operator(operator.neg, "fneg", is_unary=True)


@instruction
def splat(typing: Any, number: Any) -> Any:
    """A vector with the same number in all lanes."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit.splat(builder, args[0])

    return VECTOR(types.float32), generate


@instruction
def load(typing: Any, array: Any, index: Any) -> Any:
    """The `LANES` elements from a flat index on."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[0], args[0])
        return emit.load(builder, emit.at(builder, base, args[1]))

    return VECTOR(array, types.int64), generate


@instruction
def load_part(typing: Any, array: Any, index: Any, count: Any) -> Any:
    """The first `count` elements from a flat index on, at most `LANES`, and 0 in the other lanes."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[0], args[0])
        mask = emit.first_lanes(builder, args[2])
        return emit.load_masked(builder, emit.at(builder, base, args[1]), mask)

    return VECTOR(array, types.int64, types.int64), generate


@instruction
def load_every(typing: Any, array: Any, index: Any, step: Any) -> Any:
    """`LANES` elements from a flat index on that are `step` elements apart."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[0], args[0])
        return emit.load_every(builder, emit.at(builder, base, args[1]), args[2])

    return VECTOR(array, types.int64, types.int64), generate


@instruction
def part_pairs(typing: Any, x: Any, start: Any, out: Any, even: Any, odd: Any) -> Any:
    """Copy `LANES` pairs of elements from index `start` on: the first ones to `even`, the second to `odd`."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        source = emit.at(builder, emit.data(context, builder, sig.args[0], args[0]), args[1])
        base = emit.data(context, builder, sig.args[2], args[2])
        parts = [emit.load(builder, emit.at(builder, source, n)) for n in (0, LANES)]
        for place, vector in zip(args[3:], emit.parted(builder, *parts), strict=True):
            emit.store(builder, vector, emit.at(builder, base, place))
        return context.get_dummy_value()

    return types.void(x, types.int64, out, types.int64, types.int64), generate


@instruction
def part_some_pairs(typing: Any, x: Any, start: Any, count: Any, out: Any, even: Any, odd: Any) -> Any:
    """`part_pairs` of `count` pairs, at most `LANES`."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        source = emit.at(builder, emit.data(context, builder, sig.args[0], args[0]), args[1])
        base = emit.data(context, builder, sig.args[3], args[3])
        size = builder.add(args[2], args[2])
        parts = [
            emit.load_masked(
                builder,
                emit.at(builder, source, n),
                emit.first_lanes(builder, builder.sub(size, emit.integer(n))),
            )
            for n in (0, LANES)
        ]
        mask = emit.first_lanes(builder, args[2])
        for place, vector in zip(args[4:], emit.parted(builder, *parts), strict=True):
            emit.store_part(builder, vector, emit.at(builder, base, place), mask)
        return context.get_dummy_value()

    return types.void(x, types.int64, types.int64, out, types.int64, types.int64), generate


@instruction
def store(typing: Any, vector: Any, array: Any, index: Any) -> Any:
    """Write all lanes to the elements from a flat index on."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[1], args[1])
        emit.store(builder, args[0], emit.at(builder, base, args[2]))
        return context.get_dummy_value()

    return types.void(VECTOR, array, types.int64), generate


@instruction
def store_part(typing: Any, vector: Any, array: Any, index: Any, count: Any) -> Any:
    """Write the first `count` lanes, at most `LANES`, to the elements from a flat index on."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[1], args[1])
        mask = emit.first_lanes(builder, args[3])
        emit.store_part(builder, args[0], emit.at(builder, base, args[2]), mask)
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
    """max(a, bound); NaN where `a` is NaN."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit_extremes.larger(builder, *args)

    return VECTOR(VECTOR, VECTOR), generate


@instruction
def maximum(typing: Any, a: Any, b: Any) -> Any:
    """max(a, b); NaN where either is NaN."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit_extremes.maximum(builder, *args)

    return VECTOR(VECTOR, VECTOR), generate


@instruction
def smaller(typing: Any, a: Any, bound: Any) -> Any:
    """min(a, bound); NaN where `a` is NaN."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit_extremes.smaller(builder, *args)

    return VECTOR(VECTOR, VECTOR), generate


@instruction
def where_negative(typing: Any, a: Any, then: Any, otherwise: Any) -> Any:
    """`then` in the lanes where `a` is below 0, `otherwise` in the others."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        a, then, otherwise = args
        return builder.select(builder.fcmp_ordered("<", a, emit.constant(0.0)), then, otherwise)

    return VECTOR(VECTOR, VECTOR, VECTOR), generate


@instruction
def where_less(typing: Any, a: Any, b: Any, then: Any, otherwise: Any) -> Any:
    """`then` in the lanes where a < b, `otherwise` in the others."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        a, b, then, otherwise = args
        return builder.select(builder.fcmp_ordered("<", a, b), then, otherwise)

    return VECTOR(VECTOR, VECTOR, VECTOR, VECTOR), generate


@instruction
def where_at_most(typing: Any, a: Any, b: Any, then: Any, otherwise: Any) -> Any:
    """`then` in the lanes where a <= b, `otherwise` in the others."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        a, b, then, otherwise = args
        return builder.select(builder.fcmp_ordered("<=", a, b), then, otherwise)

    return VECTOR(VECTOR, VECTOR, VECTOR, VECTOR), generate


@instruction
def absolute(typing: Any, a: Any) -> Any:
    """abs(a)."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit.by_llvm(builder, "fabs", *args)

    return VECTOR(VECTOR), generate


@instruction
def with_sign(typing: Any, a: Any, sign: Any) -> Any:
    """abs(a) with the signs of another vector."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit.by_llvm(builder, "copysign", *args)

    return VECTOR(VECTOR, VECTOR), generate


@instruction
def total(typing: Any, a: Any) -> Any:
    """The sum of all lanes."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit.fold(builder, args[0], builder.fadd)

    return types.float32(VECTOR), generate


@instruction
def largest(typing: Any, a: Any) -> Any:
    """The largest lane; undefined with NaN."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit.fold(builder, args[0], lambda a, b: builder.select(builder.fcmp_ordered(">", a, b), a, b))

    return types.float32(VECTOR), generate


@instruction
def exp(typing: Any, a: Any) -> Any:
    """exp(a), with a relative error of about 1e-7; 0 below -87.3, infinite above 88.7."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit_exp.exp(builder, args[0])

    return VECTOR(VECTOR), generate


@instruction
def exp_below_88(typing: Any, a: Any) -> Any:
    """exp(a) of numbers up to 88; 0 below -87.3."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit_exp.exp_below_88(builder, args[0])

    return VECTOR(VECTOR), generate


@instruction
def exp_between(typing: Any, a: Any) -> Any:
    """exp(a) of numbers from -87.3 to 88."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit_exp.exp_between(builder, args[0])

    return VECTOR(VECTOR), generate


@instruction
def copy(typing: Any, target: Any, to: Any, source: Any, start: Any, count: Any) -> Any:
    """Copy `count` elements from index `start` of `source` to index `to` of `target`; no overlap."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        target = emit.at(builder, emit.data(context, builder, sig.args[0], args[0]), args[1])
        source = emit.at(builder, emit.data(context, builder, sig.args[2], args[2]), args[3])
        emit.copy(builder, target, source, args[4])
        return context.get_dummy_value()

    return types.void(target, types.int64, source, types.int64, types.int64), generate


@instruction
def clear(typing: Any, target: Any, start: Any, count: Any) -> Any:
    """Set `count` elements from a flat index on to 0."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        target = emit.at(builder, emit.data(context, builder, sig.args[0], args[0]), args[1])
        emit.clear(builder, target, args[2])
        return context.get_dummy_value()

    return types.void(target, types.int64, types.int64), generate


@instruction
def prefetch(typing: Any, array: Any, index: Any) -> Any:
    """Ask for the line of memory that has a flat index, which may lie outside the array."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[0], args[0])
        emit.prefetch(builder, emit.at(builder, base, args[1]))
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@instruction
def address(typing: Any, array: Any, index: Any) -> Any:
    """The address of the element with a flat index."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.data(context, builder, sig.args[0], args[0])
        return builder.ptrtoint(emit.at(builder, base, args[1]), emit.INT)

    return types.int64(array, types.int64), generate


@instruction
def transpose_block(typing: Any, x: Any, start: Any, step: Any, out: Any, dest: Any, out_step: Any) -> Any:
    """Transpose a block of `LANES` rows and columns from index `start` of `x` to index `dest` of `out`.

    Rows are `step` elements apart in `x` and `out_step` in `out`.
    """

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        source = emit.at(builder, emit.data(context, builder, sig.args[0], args[0]), args[1])
        target = emit.at(builder, emit.data(context, builder, sig.args[3], args[3]), args[4])
        rows = [emit.at(builder, source, builder.mul(args[2], emit.integer(n))) for n in range(LANES)]
        for n, column in enumerate(emit.transposed(builder, [emit.load(builder, row) for row in rows])):
            emit.store(builder, column, emit.at(builder, target, builder.mul(args[5], emit.integer(n))))
        return context.get_dummy_value()

    return types.void(x, types.int64, types.int64, out, types.int64, types.int64), generate
