"""Arithmetic of two float32 tensors that broadcast, with and without a fused activation."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.activation.activation import activation_of
from lite.kernels.cpu.codes import DIFFERENCE, MAXIMUM, MINIMUM, PRODUCT, QUOTIENT, SUM
from lite.kernels.cpu.native.function import FREE, Function
from lite.ops.broadcast import aligned
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_combine_tensors = Function("broadcast.combine_tensors")

_CHUNK = 8192
"""Elements of a work item: what a first-level cache holds."""

_AXES = 4


class Broadcast:
    """The axes of two tensors that broadcast, as arguments of compiled functions, which take four axes.

    `sizes` are the sizes of the result, `x_steps` and `y_steps` the strides of the tensors, in elements: 0
    along axes in which a tensor is repeated.  Neighbouring axes are merged where both tensors allow it.
    `is_possible` tells whether four axes are enough.
    """

    def __init__(self, x_shape: Sequence[int], y_shape: Sequence[int]) -> None:
        rank = max(len(x_shape), len(y_shape))
        x, y = ((1,) * (rank - len(shape)) + tuple(shape) for shape in (x_shape, y_shape))
        axes: list[list[int]] = []
        x_step = y_step = 1
        for a, b in zip(reversed(x), reversed(y), strict=True):
            size = b if a == 1 else a
            steps = x_step if a > 1 else 0, y_step if b > 1 else 0
            x_step, y_step = x_step * a, y_step * b
            if size == 1:
                continue
            if axes and all(
                step == axes[-1][0] * last for step, last in zip(steps, axes[-1][1:], strict=True)
            ):
                axes[-1][0] *= size
            else:
                axes.append([size, *steps])
        self.is_possible = len(axes) <= _AXES and all(axis[0] for axis in axes)
        first = axes[0] if axes else [1, 1, 1]
        if len(axes) <= 1:
            axes = _in_chunks(first, _CHUNK)
        elif len(axes) == 2:
            axes = [first, *_in_chunks(axes[1], _CHUNK // max(first[0], 1))]
        # The first axis of the result is the axis of the work items; missing axes in between have size 1.
        padded = [*axes[:-1], *[[1, 0, 0]] * (_AXES - len(axes)), axes[-1]][::-1]
        self.sizes = [size for size, _, _ in padded]
        self.x_steps, self.y_steps = (np.array([axis[n] for axis in padded], np.int64) for n in (1, 2))


def _in_chunks(axis: list[int], most: int) -> list[list[int]]:
    """Split an axis in two: within chunks of at most `most` elements, and over the chunks."""
    size, *steps = axis
    length = max(min(size, most), 1)
    return [[length, *steps], [-(-size // length), *(length * step for step in steps)]]


def _prepare(arithmetic: int, ctx: PrepareContext) -> KernelFunction | None:
    attrs = ctx.attrs
    x, y, shape = ctx.inputs["X"][0], ctx.inputs["Y"][0], ctx.outputs["Out"][0].sizes
    if y.dtype is not DType.FLOAT32 or attrs.real("scale", 1.0) != 1.0 or attrs.real("bias", 0.0):
        return None
    activation = activation_of(attrs.text("activation", ""), attrs.reals("activation_params", ()))
    shapes = x.sizes, y.sizes
    if x.rank != y.rank and attrs.integer("axis") != -1:
        shapes = aligned(*shapes, attrs.integer("axis"))
    axes, size = Broadcast(*shapes), math.prod(shape)
    if activation is None or not axes.is_possible:
        return None
    first, second, third, width = axes.sizes
    compute = _combine_tensors.bind(
        FREE, FREE, FREE, activation.parameters, axes.x_steps, axes.y_steps, arithmetic,
        activation.flags, size, second, third, width, count=first, cost=PER_ELEMENT * size,
    )  # fmt: skip

    def run(X: Array, Y: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        compute(X, Y, result)
        return result

    return only_launches(run)


for _op, _arithmetic in (
    ("elementwise_add", SUM),
    ("elementwise_div", QUOTIENT),
    ("elementwise_max", MAXIMUM),
    ("elementwise_min", MINIMUM),
    ("elementwise_mul", PRODUCT),
    ("elementwise_sub", DIFFERENCE),
    ("fusion_elementwise_add_activation", SUM),
    ("fusion_elementwise_div_activation", QUOTIENT),
    ("fusion_elementwise_max_activation", MAXIMUM),
    ("fusion_elementwise_min_activation", MINIMUM),
    ("fusion_elementwise_mul_activation", PRODUCT),
    ("fusion_elementwise_sub_activation", DIFFERENCE),
):
    kernel(_op, "cpu", dtype=DType.FLOAT32, fallback="host")(functools.partial(_prepare, _arithmetic))
