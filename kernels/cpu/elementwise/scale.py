"""scale and negative of float32."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.activation.activation import Activation, activation_of
from lite.kernels.cpu.codes import PRODUCT, SUM
from lite.kernels.cpu.elementwise.elementwise import Broadcast
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Job
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_combine_tensors = Function("broadcast.combine_tensors")


@kernel("scale", "cpu", dtype=DType.FLOAT32, slots=("X",), fallback="host")
def scale(ctx: PrepareContext) -> KernelFunction | None:
    """scale · X + bias, or scale · (X + bias), with an activation; None with a tensor or a second scale."""
    attrs = ctx.attrs
    activation = activation_of(attrs.text("activation", ""), attrs.reals("activation_params", ()))
    is_one_step = attrs.real("scale1", 1.0) == 1.0 and not attrs.real("bias1", 0.0)
    if activation is None or not is_one_step or ctx.inputs.get("ScaleTensor"):
        return None
    factor, offset = attrs.real("scale"), attrs.real("bias")
    steps = [(PRODUCT, factor)] if factor != 1.0 or not offset else []
    if offset:
        steps.insert(len(steps) if attrs.flag("bias_after_scale") else 0, (SUM, offset))
    return _with_numbers(steps, activation, ctx.inputs["X"][0].sizes)


@kernel("negative", "cpu", dtype=DType.FLOAT32, fallback="host")
def negative(ctx: PrepareContext) -> KernelFunction | None:
    """-X."""
    none = activation_of("")
    return None if none is None else _with_numbers([(PRODUCT, -1.0)], none, ctx.inputs["X"][0].sizes)


def _with_numbers(
    steps: Sequence[tuple[int, float]], activation: Activation, shape: tuple[int, ...]
) -> KernelFunction | None:
    """Each element combined with one number after the other, then the activation."""
    size, nothing = math.prod(shape), activation_of("")
    if not size or nothing is None:
        return None
    jobs = [
        _job(arithmetic, number, nothing if n + 1 < len(steps) else activation, size)
        for n, (arithmetic, number) in enumerate(steps)
    ]

    def run(X: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        source = X
        for job in jobs:
            job(source, result)
            source = result
        return result

    return only_launches(run)


def _job(arithmetic: int, number: float, activation: Activation, size: int) -> Job:
    axes = Broadcast((size,), (1,))
    first, second, third, width = axes.sizes
    return _combine_tensors.bind(
        FREE, np.array([number], np.float32), FREE, activation.parameters, axes.x_steps, axes.y_steps,
        arithmetic, activation.flags, size, second, third, width, count=first, cost=PER_ELEMENT * size,
    )  # fmt: skip
