"""batch_norm with given statistics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.host import on_host
from lite.kernels.cpu.native.function import FREE, Function
from lite.ops.window import is_channel_last
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_scale_planes, _scale_rows = Function("norm.scale_planes"), Function("norm.scale_rows")

_SLOTS = ("Scale", "Bias", "Mean", "Variance")

Buffers = tuple[Array | None, ...]


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    attrs: Any = ctx.attrs
    x = ctx.inputs["X"][0]
    if not x.is_static or (
        not attrs["use_global_stats"] and (not attrs["is_test"] or attrs["trainable_statistics"])
    ):
        return None
    given = [slot for slot in _SLOTS if ctx.inputs.get(slot)]
    if any(ctx.constant(slot) is None or ctx.inputs[slot][0].dtype is not DType.FLOAT32 for slot in given):
        return None
    shape = tuple(int(dim) for dim in x.dims if isinstance(dim, int))
    scale, bias, mean, variance = (ctx.constant(slot) for slot in _SLOTS)
    assert mean is not None
    assert variance is not None
    channels, size = len(mean), math.prod(shape)
    pixels = 1 if is_channel_last(attrs["data_layout"]) else math.prod(shape[2:])
    if not size:
        return None
    inverse = 1 / np.sqrt(variance + np.float32(attrs["epsilon"]))
    factor = inverse if scale is None else inverse * scale
    shift = -mean * factor if bias is None else bias - mean * factor
    known = {"MeanOut": mean, "VarianceOut": variance, "SavedMean": mean, "SavedVariance": inverse}
    statistics = [vector if ctx.outputs.get(slot) else None for slot, vector in known.items()]
    cost = PER_ELEMENT * size
    if pixels == 1:
        compute = _scale_rows.bind(FREE, factor, shift, FREE, channels, count=size // channels, cost=cost)
    else:
        planes = size // pixels
        compute = _scale_planes.bind(FREE, factor, shift, FREE, channels, pixels, count=planes, cost=cost)

    def run(
        X: Array,
        Scale: Array | None,
        Bias: Array | None,
        Mean: Array,
        Variance: Array,
        *,
        out: Buffers | None = None,
    ) -> Buffers:
        buffers: Buffers = out or (None,) * 5
        result = np.empty(shape, np.float32) if buffers[0] is None else buffers[0]
        compute(X, result)
        more = zip(statistics, buffers[1:], strict=False)
        return result, *(vector if vector is None else _copied(vector, buffer) for vector, buffer in more)

    return run


def _copied(statistic: Array, buffer: Array | None) -> Array:
    if buffer is None:
        return statistic.copy()
    np.copyto(buffer, statistic)
    return buffer


@kernel("batch_norm", "cpu", dtype=DType.FLOAT32, prepare=_prepare)
def batch_norm(
    X: Array,
    Scale: Array | None,
    Bias: Array | None,
    Mean: Array,
    Variance: Array,
    *,
    epsilon: float,
    data_layout: str,
    is_test: bool,
    use_global_stats: bool,
    trainable_statistics: bool,
    out: Buffers | None = None,
) -> tuple[Array, ...]:
    """``(X − mean) / sqrt(variance + epsilon) · Scale + Bias`` per channel, and the statistics."""
    inputs = {"X": X, "Scale": Scale, "Bias": Bias, "Mean": Mean, "Variance": Variance}
    attrs = {
        "epsilon": epsilon,
        "data_layout": data_layout,
        "is_test": is_test,
        "use_global_stats": use_global_stats,
        "trainable_statistics": trainable_statistics,
    }
    found: Any = on_host("batch_norm", inputs, attrs, out)
    return tuple(found)
