"""group_norm and instance_norm of images ``float32[N, C, ...]``."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.activation.activation import Activation, activation_of
from lite.kernels.cpu.native.function import FREE, Function
from lite.ops.window import is_channel_last
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_normalise_groups = Function("norm.normalise_groups")

_PASSES = 3
"""The cost per element, as a multiple of a copy."""

Buffers = tuple[Array | None, ...]


@kernel("group_norm", "cpu", dtype=DType.FLOAT32, fallback="host")
def group_norm(ctx: PrepareContext) -> KernelFunction | None:
    """Normalise each group of channels of an image to mean 0 and variance 1, then · Scale + Bias per channel.

    Y. Wu and K. He, "Group Normalization", ECCV 2018.
    """
    if is_channel_last(ctx.attrs.text("data_layout")):
        return None
    return _by_groups(ctx, ctx.attrs.integer("groups"), activation_of(""), is_inverse=False)


@kernel("instance_norm", "cpu", dtype=DType.FLOAT32, fallback="host")
def instance_norm(ctx: PrepareContext) -> KernelFunction | None:
    """Normalise each channel of an image to mean 0 and variance 1, then · Scale + Bias, then the activation.

    SavedVariance is ``1 / sqrt(variance + epsilon)``.
    """
    activation = activation_of(ctx.attrs.text("activation"), ctx.attrs.reals("activation_params"))
    return _by_groups(ctx, 0, activation, is_inverse=True)


def _by_groups(
    ctx: PrepareContext, groups: int, activation: Activation | None, *, is_inverse: bool
) -> KernelFunction | None:
    """Normalise groups of channels; `groups` is 0 for as many groups as channels."""
    vectors = [ctx.inputs[slot][0] for slot in ("Scale", "Bias") if ctx.inputs.get(slot)]
    if activation is None or any(each.dtype is not DType.FLOAT32 for each in vectors):
        return None
    shape = ctx.inputs["X"][0].sizes
    size, pixels = math.prod(shape), math.prod(shape[2:])
    if not size:
        return None
    groups = groups or shape[1]
    rows, channels = shape[0] * groups, shape[1] // groups
    affine = [
        FREE if ctx.inputs.get(slot) else np.full(shape[1], default, np.float32)
        for slot, default in (("Scale", 1), ("Bias", 0))
    ]
    statistic = (rows,) if is_inverse else (shape[0], groups)
    slots = ("SavedMean", "SavedVariance") if is_inverse else ("Mean", "Variance")
    # Statistics that no node reads are computed, too.
    unread = [None if ctx.outputs.get(slot) else ctx.scratch(statistic) for slot in slots]
    normalise = _normalise_groups.bind(
        FREE, *affine, activation.parameters, FREE, FREE, FREE, ctx.attrs.real("epsilon"),
        activation.flags, groups, channels, pixels, int(is_inverse),
        count=rows, cost=_PASSES * PER_ELEMENT * size,
    )  # fmt: skip

    def run(
        X: Array, Scale: Array | None, Bias: Array | None, *, out: Buffers | None = None
    ) -> tuple[Array, ...]:
        buffers: Buffers = out or (None,) * 3
        result = np.empty(shape, np.float32) if buffers[0] is None else buffers[0]
        statistics = [
            scratch.array
            if scratch is not None
            else np.empty(statistic, np.float32)
            if buffer is None
            else buffer
            for scratch, buffer in zip(unread, (*buffers, None, None)[1:3], strict=True)
        ]
        vectors = [vector for vector in (Scale, Bias) if vector is not None]
        normalise(X, *vectors, result, *statistics)
        return result, statistics[0], statistics[1]

    return only_launches(run)
