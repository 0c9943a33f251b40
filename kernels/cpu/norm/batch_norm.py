"""batch_norm with constant statistics, as in inference."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.ops.window import is_channel_last
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_scale_planes, _scale_rows = Function("norm.scale_planes"), Function("norm.scale_rows")

_SLOTS = ("Scale", "Bias", "Mean", "Variance")

Buffers = tuple[Array | None, ...]


@kernel("batch_norm", "cpu", dtype=DType.FLOAT32, slots=("X",), packs=_SLOTS, fallback="host")
def batch_norm(ctx: PrepareContext) -> KernelFunction | None:
    """``(X − Mean) / sqrt(Variance + epsilon) · Scale + Bias`` per channel of float32, and the statistics."""
    attrs = ctx.attrs
    is_fixed = attrs.flag("is_test") and not attrs.flag("trainable_statistics")
    if not (attrs.flag("use_global_stats") or is_fixed):
        return None
    slots = [slot for slot in _SLOTS if ctx.inputs.get(slot)]
    if any(ctx.constant(slot) is None or ctx.inputs[slot][0].dtype is not DType.FLOAT32 for slot in slots):
        return None
    shape = ctx.inputs["X"][0].sizes
    scale, bias, mean, variance = (ctx.constant(slot) for slot in _SLOTS)
    assert mean is not None
    assert variance is not None
    channels, size = len(mean), math.prod(shape)
    pixels = 1 if is_channel_last(attrs.text("data_layout")) else math.prod(shape[2:])
    if not size:
        return None
    inverse = 1 / np.sqrt(variance + np.float32(attrs.real("epsilon")))
    factor = inverse if scale is None else inverse * scale
    shift = -mean * factor if bias is None else bias - mean * factor
    by_slot = {"MeanOut": mean, "VarianceOut": variance, "SavedMean": mean, "SavedVariance": inverse}
    statistics = [vector if ctx.outputs.get(slot) else None for slot, vector in by_slot.items()]
    cost = PER_ELEMENT * size
    if pixels == 1:
        compute = _scale_rows.bind(FREE, factor, shift, FREE, channels, count=size // channels, cost=cost)
    else:
        planes = size // pixels
        compute = _scale_planes.bind(FREE, factor, shift, FREE, channels, pixels, count=planes, cost=cost)

    def run(X: Array, *, out: Buffers | None = None) -> Buffers:
        buffers: Buffers = out or (None,) * 5
        result = np.empty(shape, np.float32) if buffers[0] is None else buffers[0]
        compute(X, result)
        more = zip(statistics, buffers[1:], strict=False)
        return result, *(vector if vector is None else _copied(vector, buffer) for vector, buffer in more)

    copies_statistics = any(vector is not None for vector in statistics)
    return run if copies_statistics else only_launches(run)


def _copied(statistic: Array, buffer: Array | None) -> Array:
    if buffer is None:
        return statistic.copy()
    np.copyto(buffer, statistic)
    return buffer
