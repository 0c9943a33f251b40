"""group_norm and instance_norm of images in NCHW."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.activation import Activation, activation_of
from lite.kernels.cpu.host import on_host
from lite.kernels.cpu.native.function import FREE, Function
from lite.ops.window import is_channel_last
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.share import PER_ELEMENT

_normalise_groups = Function("norm.normalise_groups")

_PASSES = 3
"""How much more than a copy it costs."""

Buffers = tuple[Array | None, ...]


def _prepare_group_norm(ctx: PrepareContext) -> KernelFunction | None:
    attrs: Any = ctx.attrs
    if is_channel_last(attrs["data_layout"]):
        return None
    return _by_groups(ctx, attrs["groups"], activation_of(""), is_inverse=False)


def _prepare_instance_norm(ctx: PrepareContext) -> KernelFunction | None:
    attrs: Any = ctx.attrs
    return _by_groups(ctx, 0, activation_of(attrs["activation"], attrs["activation_params"]), is_inverse=True)


def _by_groups(
    ctx: PrepareContext, groups: int, activation: Activation | None, *, is_inverse: bool
) -> KernelFunction | None:
    """Groups of channels with mean 0 and variance 1; as many as there are channels where `groups` is 0."""
    x = ctx.inputs["X"][0]
    if activation is None or not x.is_static:
        return None
    shape = tuple(int(dim) for dim in x.dims if isinstance(dim, int))
    groups = groups or shape[1]
    size, rows = math.prod(shape), shape[0] * groups
    pixels = math.prod(shape[2:])
    if not size:
        return None
    channels = shape[1] // groups
    epsilon: Any = ctx.attrs["epsilon"]
    vectors = [
        FREE if ctx.inputs.get(slot) else np.full(shape[1], default, np.float32)
        for slot, default in (("Scale", 1), ("Bias", 0))
    ]
    normalise = _normalise_groups.bind(
        FREE, *vectors, activation.parameters, FREE, FREE, FREE, epsilon, activation.flags, groups, channels,
        pixels, int(is_inverse), count=rows, cost=_PASSES * PER_ELEMENT * size,
    )  # fmt: skip
    statistics = (rows,) if is_inverse else (shape[0], groups)

    def run(
        X: Array, Scale: Array | None, Bias: Array | None, *, out: Buffers | None = None
    ) -> tuple[Array, ...]:
        buffers: Buffers = out or (None,) * 3
        result = np.empty(shape, np.float32) if buffers[0] is None else buffers[0]
        means, variances = (
            np.empty(statistics, np.float32) if each is None else each for each in (*buffers, None, None)[1:3]
        )
        given = [vector for vector in (Scale, Bias) if vector is not None]
        normalise(X, *given, result, means, variances)
        return result, means, variances

    return run


@kernel("group_norm", "cpu", dtype=DType.FLOAT32, prepare=_prepare_group_norm)
def group_norm(
    X: Array,
    Scale: Array | None,
    Bias: Array | None,
    *,
    epsilon: float,
    groups: int,
    data_layout: str,
    out: Buffers | None = None,
) -> tuple[Array, ...]:
    """Mean 0 and variance 1 in each group of channels of each image, then · Scale + Bias per channel."""
    attrs = {"epsilon": epsilon, "groups": groups, "data_layout": data_layout}
    found: Any = on_host("group_norm", {"X": X, "Scale": Scale, "Bias": Bias}, attrs, out)  # type: ignore[arg-type]
    return tuple(found)


@kernel("instance_norm", "cpu", dtype=DType.FLOAT32, prepare=_prepare_instance_norm)
def instance_norm(
    X: Array,
    Scale: Array | None,
    Bias: Array | None,
    *,
    epsilon: float,
    activation: str,
    activation_params: Sequence[float],
    out: Buffers | None = None,
) -> tuple[Array, ...]:
    """Mean 0 and variance 1 of each channel of each image, then · Scale + Bias, then the activation.

    SavedVariance is ``1 / sqrt(variance + epsilon)``.
    """
    attrs = {"epsilon": epsilon, "activation": activation, "activation_params": activation_params}
    found: Any = on_host("instance_norm", {"X": X, "Scale": Scale, "Bias": Bias}, attrs, out)  # type: ignore[arg-type]
    return tuple(found)
