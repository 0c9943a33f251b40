"""Ops on few elements of any type: the conditions, counters and sizes of loops and branches.

The host's numpy is as fast where there are many elements; with few of them, a compiled function takes less
time than the call from Python, and joins other launches.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.element_types import (
    ADD,
    AT_LEAST,
    AT_MOST,
    ELEMENT_TYPES,
    EQUAL,
    GREATER,
    HIGHER,
    LESS,
    LOWER,
    MULTIPLY,
    SUBTRACT,
    UNEQUAL,
)
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.ops.broadcast import aligned
from lite.ops.number_range import number_range
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel

MOST = 1024
"""The most elements of a result."""

_combine, _convert = Function("elements.combine"), Function("elements.convert")
_choose = Function("elements.choose")

_CONDITIONS = {
    "equal": EQUAL,
    "greater_equal": AT_LEAST,
    "greater_than": GREATER,
    "less_equal": AT_MOST,
    "less_than": LESS,
    "not_equal": UNEQUAL,
}

_ARITHMETIC = {
    "elementwise_add": ADD,
    "elementwise_max": HIGHER,
    "elementwise_min": LOWER,
    "elementwise_mul": MULTIPLY,
    "elementwise_sub": SUBTRACT,
}


def is_few(ctx: PrepareContext) -> bool:
    """Whether the result has few elements, and all types are known to compiled functions."""
    [out] = next(iter(ctx.outputs.values()))
    metas = [meta for each in ctx.inputs.values() for meta in each]
    types = all(meta.dtype in ELEMENT_TYPES for meta in (*metas, out))
    return types and 0 < math.prod(out.sizes) <= MOST


def _places(shape: Sequence[int], out_shape: Sequence[int]) -> Array:
    """By element of the result, the element of an operand that is broadcast to it."""
    numbers = np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
    return np.ascontiguousarray(np.broadcast_to(numbers, out_shape)).reshape(-1)


def _binary(operation: int, ctx: PrepareContext) -> KernelFunction:
    """X ∘ Y, where both are broadcast at the attribute `axis`."""
    [x], [y], [out] = ctx.inputs["X"], ctx.inputs["Y"], ctx.outputs["Out"]
    shapes = aligned(x.sizes, y.sizes, ctx.attrs.integer("axis", -1))
    places = [_places(shape, out.sizes) for shape in shapes]
    kinds = [ELEMENT_TYPES[meta.dtype] for meta in (x, y, out)]
    count = math.prod(out.sizes)
    return launching(_combine.bind(FREE, FREE, FREE, *places, operation, *kinds, count=count), out)


def _with_number(operation: int, number: int, ctx: PrepareContext) -> KernelFunction:
    """X ∘ a number, which has the type of X."""
    [x], [out] = ctx.inputs["X"], ctx.outputs["Out"]
    size = math.prod(x.sizes)
    other = np.array([number], x.dtype.numpy)
    places = np.arange(size, dtype=np.int64), np.zeros(size, np.int64)
    kinds = [ELEMENT_TYPES[meta.dtype] for meta in (x, x, out)]
    return launching(_combine.bind(FREE, other, FREE, *places, operation, *kinds, count=size), out)


def condition_of_few(operation: int, ctx: PrepareContext) -> KernelFunction | None:
    """X ∘ Y, both broadcast, as bool; None where they are many."""
    return _binary(operation, ctx) if is_few(ctx) else None


def _arithmetic(operation: int, ctx: PrepareContext) -> KernelFunction | None:
    """Arithmetic of integers of one type, which wraps around; None for others, and for many elements."""
    [x], [y], attrs = ctx.inputs["X"], ctx.inputs["Y"], ctx.attrs
    is_plain = attrs.real("scale", 1.0) == 1.0 and not attrs.real("bias", 0.0)
    is_integer = x.dtype is y.dtype and x.dtype.is_integer
    return _binary(operation, ctx) if is_few(ctx) and is_integer and is_plain else None


def not_of_few(ctx: PrepareContext) -> KernelFunction | None:
    """True where X is 0; None where they are many."""
    return _with_number(EQUAL, 0, ctx) if is_few(ctx) else None


def _increment(ctx: PrepareContext) -> KernelFunction | None:
    is_integer = ctx.inputs["X"][0].dtype.is_integer
    return _with_number(ADD, int(ctx.attrs.real("step")), ctx) if is_few(ctx) and is_integer else None


def _scale(ctx: PrepareContext) -> KernelFunction | None:
    """scale · X or X + bias of integers; None for both at once, for an activation and for a tensor."""
    [x], attrs = ctx.inputs["X"], ctx.attrs
    factor, offset = int(attrs.real("scale")), int(attrs.real("bias"))
    is_plain = attrs.real("scale1", 1.0) == 1.0 and not attrs.real("bias1", 0.0)
    if not is_plain or attrs.text("activation", "") or ctx.inputs.get("ScaleTensor"):
        return None
    if not is_few(ctx) or not x.dtype.is_integer or (factor != 1 and offset):
        return None
    operation, number = (MULTIPLY, factor) if factor != 1 else (ADD, offset)
    least, greatest = number_range(x.dtype)
    return _with_number(operation, number, ctx) if least <= number <= greatest else None


def cast_of_few(ctx: PrepareContext) -> KernelFunction | None:
    """X as elements of another type; None where they are many."""
    [x], [out] = ctx.inputs["X"], ctx.outputs["Out"]
    if not is_few(ctx):
        return None
    if out.dtype is DType.BOOL:
        return _with_number(UNEQUAL, 0, ctx)
    kinds = ELEMENT_TYPES[x.dtype], ELEMENT_TYPES[out.dtype]
    return launching(_convert.bind(FREE, FREE, *kinds, count=math.prod(out.sizes)), out)


def where_of_few(ctx: PrepareContext) -> KernelFunction | None:
    """X or Y by Condition, all broadcast; None where the types of X and Y differ."""
    metas = [ctx.inputs[slot][0] for slot in ("Condition", "X", "Y")]
    [out] = ctx.outputs["Out"]
    if not is_few(ctx) or [meta.dtype for meta in metas] != [DType.BOOL, out.dtype, out.dtype]:
        return None
    places = [_places(meta.sizes, out.sizes) for meta in metas]
    size, count = out.dtype.numpy.itemsize, math.prod(out.sizes)
    return launching(_choose.bind(FREE, FREE, FREE, FREE, *places, size, count=count), out)


for _op, _operation in _CONDITIONS.items():
    kernel(_op, "cpu", fallback="host")(functools.partial(condition_of_few, _operation))
for _op, _operation in _ARITHMETIC.items():
    kernel(_op, "cpu", fallback="host")(functools.partial(_arithmetic, _operation))
for _op, _prepare in (
    ("increment", _increment),
    ("where", where_of_few),
):
    kernel(_op, "cpu", fallback="host")(_prepare)
kernel("scale", "cpu", slots=("X",), fallback="host")(_scale)
