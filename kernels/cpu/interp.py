"""Resizing of images in NHWC: nearest and bilinear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.ir.types import DType, Layout
from lite.kernels.cpu.arrays import packed
from lite.kernels.cpu.host import on_host
from lite.ops.interp import factors
from lite.ops.window import is_channel_last
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.share import PER_ELEMENT, share

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
    run_part = _nearest if method == "nearest" else _bilinear
    compute = run_part(attrs, sizes, outs, _steps(ctx, sizes, outs))

    def run(
        X: Array,
        OutSize: Array | None,
        SizeTensor: Sequence[Array] | None,
        Scale: Array | None,
        *,
        out: Array | None = None,
    ) -> Array:
        image = packed(X)
        resized = np.empty(shape, np.float32) if out is None else out
        share(
            batch * outs[0],
            PER_ELEMENT * resized.size,
            lambda begin, end: compute(image, resized, begin, end),
        )
        return resized

    return run


def _nearest(attrs: Any, sizes: Sequence[int], outs: Sequence[int], steps: Sequence[np.float32]) -> Any:
    from lite.kernels.cpu.compiled.resize import take

    half = np.float32(0.5 if attrs["align_corners"] else 0)
    rows, columns = (
        np.clip((step * np.arange(out, dtype=np.float32) + half).astype(np.int64), 0, size - 1)
        for step, out, size in zip(steps, outs, sizes, strict=True)
    )
    return lambda x, y, begin, end: take(x, y, rows, columns, begin, end)


def _bilinear(attrs: Any, sizes: Sequence[int], outs: Sequence[int], steps: Sequence[np.float32]) -> Any:
    from lite.kernels.cpu.compiled.resize import blend

    is_centred = attrs["align_mode"] == 0 and not attrs["align_corners"]
    taps: list[Any] = []
    for step, out, size in zip(steps, outs, sizes, strict=True):
        index = np.arange(out, dtype=np.float32)
        half = np.float32(0.5)
        positions = step * (index + half) - half if is_centred else step * index
        positions = np.maximum(positions, np.float32(0))
        low = np.minimum(positions.astype(np.int64), size - 1)
        taps += [low, np.minimum(low + 1, size - 1), positions - low.astype(np.float32)]
    tops, bottoms, down, lefts, rights, right = taps
    return lambda x, y, begin, end: blend(x, y, tops, bottoms, down, lefts, rights, right, begin, end)


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
