"""Resizing of images in NHWC: nearest and bilinear."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.ir.types import DType, Layout
from lite.kernels.cpu.host import on_host
from lite.kernels.cpu.native.function import FREE, Function
from lite.ops.defs.interp import factors
from lite.ops.window import is_channel_last
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_take, _blend = Function("resize.take"), Function("resize.blend")

_AXES = 2


def _steps(ctx: PrepareContext, sizes: Sequence[int], outs: Sequence[int]) -> list[np.float32]:
    """How far in the input one step in the output goes, along each axis."""
    attrs: Any = ctx.attrs
    given: Sequence[float] = [] if ctx.inputs.get("SizeTensor") else factors(attrs["scale"], _AXES)
    if attrs["ratio_from_sizes"] or not given:
        given = []
    steps = []
    for n, (size, out) in enumerate(zip(sizes, outs, strict=True)):
        if out <= 1:
            steps.append(np.float32(0))
        elif attrs["align_corners"]:
            steps.append(np.float32(size - 1) / np.float32(out - 1))
        elif given:
            steps.append(np.float32(1 / np.float32(given[n])))
        else:
            steps.append(np.float32(size) / np.float32(out))
    return steps


def _prepare(ctx: PrepareContext, method: str) -> KernelFunction | None:
    attrs: Any = ctx.attrs
    x, y = ctx.inputs["X"][0], ctx.outputs["Out"][0]
    if not (x.is_static and y.is_static) or is_channel_last(attrs["data_layout"]) or ctx.inputs.get("Scale"):
        return None
    batch, *sizes, channels = (int(dim) for dim in x.dims if isinstance(dim, int))
    outs = [int(dim) for dim in y.dims[1:3] if isinstance(dim, int)]
    shape = (batch, *outs, channels)
    if 0 in (*shape, *sizes):
        return None
    function, taps = (_take, _nearest) if method == "nearest" else (_blend, _bilinear)
    compute = function.bind(
        FREE, FREE, *taps(attrs, sizes, outs, _steps(ctx, sizes, outs)), np.array([*sizes, channels, *outs]),
        count=batch * outs[0], cost=PER_ELEMENT * math.prod(shape),
    )  # fmt: skip

    def run(
        X: Array,
        OutSize: Array | None,
        SizeTensor: Sequence[Array] | None,
        Scale: Array | None,
        *,
        out: Array | None = None,
    ) -> Array:
        resized = np.empty(shape, np.float32) if out is None else out
        compute(X, resized)
        return resized

    return run


def _nearest(
    attrs: Any, sizes: Sequence[int], outs: Sequence[int], steps: Sequence[np.float32]
) -> list[Array]:
    """The pixel that each row and column comes from."""
    half = np.float32(0.5 if attrs["align_corners"] else 0)
    return [
        np.clip((step * np.arange(out, dtype=np.float32) + half).astype(np.int64), 0, size - 1)
        for step, out, size in zip(steps, outs, sizes, strict=True)
    ]


def _bilinear(
    attrs: Any, sizes: Sequence[int], outs: Sequence[int], steps: Sequence[np.float32]
) -> list[Array]:
    """Along each axis: the two pixels that each comes from, and the share of the second."""
    is_centred = attrs["align_mode"] == 0 and not attrs["align_corners"]
    taps: list[Array] = []
    for step, out, size in zip(steps, outs, sizes, strict=True):
        index = np.arange(out, dtype=np.float32)
        half = np.float32(0.5)
        positions = step * (index + half) - half if is_centred else step * index
        positions = np.maximum(positions, np.float32(0))
        low = np.minimum(positions.astype(np.int64), size - 1)
        taps += [low, np.minimum(low + 1, size - 1), positions - low.astype(np.float32)]
    return taps


def _register(op: str, method: str) -> None:
    @kernel(op, "cpu", dtype=DType.FLOAT32, layout=Layout.NHWC, prepare=lambda ctx: _prepare(ctx, method))
    def interp(
        X: Array,
        OutSize: Array | None,
        SizeTensor: Sequence[Array] | None,
        Scale: Array | None,
        *,
        out_d: int,
        out_h: int,
        out_w: int,
        scale: Sequence[float],
        align_corners: bool,
        align_mode: int,
        data_layout: str,
        ratio_from_sizes: bool,
        out: Array | None = None,
    ) -> Array:
        """`X` ``[N, H, W, C]`` resized."""
        attrs = {
            "out_d": out_d,
            "out_h": out_h,
            "out_w": out_w,
            "scale": scale,
            "align_corners": align_corners,
            "align_mode": align_mode,
            "data_layout": "NHWC",
            "ratio_from_sizes": ratio_from_sizes,
        }
        inputs = {"X": X, "OutSize": OutSize, "SizeTensor": SizeTensor, "Scale": Scale}
        return on_host(op, inputs, attrs, out)


for _op, _method in (("nearest_interp_v2", "nearest"), ("bilinear_interp_v2", "linear")):
    _register(_op, _method)
