"""Resizing of images on the host: nearest, linear, bilinear, trilinear and bicubic."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from lite.kernels.host.resize.resample import Taps, cubic, linear, nearest, resample, source_step
from lite.ops.resize_sizes import factors, scaled
from lite.ops.window import is_channel_last
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel, write


def _sizes(
    image: Sequence[int],
    tensors: Sequence[Array] | None,
    out_size: Array | None,
    given: Sequence[float],
    attributes: Sequence[int],
) -> list[int]:
    if tensors:
        return [int(size.reshape(-1)[0]) for size in tensors]
    if out_size is not None:
        return [int(size) for size in out_size.reshape(-1)]
    if given:
        return [int(scaled(size, factor)) for size, factor in zip(image, given, strict=True)]
    return list(attributes)


@functools.lru_cache(maxsize=256)
def _taps(
    method: str, size: int, out: int, factor: float | None, align_corners: bool, align_mode: int
) -> Taps:
    step = source_step(size, out, factor, align_corners)
    if method == "nearest":
        return nearest(size, out, step, align_corners)
    if method == "cubic":
        return cubic(size, out, step, not align_corners)
    return linear(size, out, step, align_mode == 0 and not align_corners)


_Sizing = tuple[Sequence[float | None], Sequence[int]]
"""Along each axis the scale, or None where the step follows from the sizes, and the size of the result."""


def _all_taps(
    method: str, image: Sequence[int], sizing: _Sizing, align_corners: bool, align_mode: int
) -> list[Taps]:
    return [
        _taps(method, size, wanted, factor, align_corners, align_mode)
        for size, factor, wanted in zip(image, *sizing, strict=True)
    ]


def _prepare(ctx: PrepareContext, method: str) -> KernelFunction | None:
    """What repeats pixels, where that is all."""
    attrs = ctx.attrs
    x, y, scale = ctx.inputs["X"][0], ctx.outputs["Out"][0], ctx.constant("Scale")
    known = ctx.inputs.get("SizeTensor") or not ctx.inputs.get("Scale") or scale is not None
    if is_channel_last(attrs.text("data_layout")) or not known:
        return None
    shape, sizes = x.sizes, y.sizes
    given = (
        []
        if ctx.inputs.get("SizeTensor")
        else factors(attrs.reals("scale") if scale is None else scale.reshape(-1).tolist(), 2)
    )
    used = [None] * 2 if attrs.flag("ratio_from_sizes") or not given else given
    taps = _all_taps(
        method, shape[2:], (used, sizes[2:]), attrs.flag("align_corners"), attrs.integer("align_mode")
    )
    rows, columns = (along.repeats(size) for along, size in zip(taps, shape[2:], strict=True))
    if not (rows and columns):
        return None
    workspace = ctx.scratch((_repeat_workspace(shape, columns),), x.dtype.numpy)

    def run(
        X: Array,
        OutSize: Array | None,
        SizeTensor: Sequence[Array] | None,
        Scale: Array | None,
        *,
        out: Array | None = None,
    ) -> Array:
        return _repeated(X, rows, columns, out, workspace.array)

    return run


def _register(op: str, method: str, axes: int) -> None:
    @kernel(op, prepare=functools.partial(_prepare, method=method) if axes == 2 else None)
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
        """`X` resized.

        The step in the input is the inverse of the scale where one is given, else the ratio of the
        sizes; always the latter with `ratio_from_sizes`, as in the first version of these ops.
        """
        channel_last = is_channel_last(data_layout)
        first = 1 if channel_last else 2
        image = X.shape[first : first + axes]
        given = [] if SizeTensor else factors(scale if Scale is None else Scale.reshape(-1).tolist(), axes)
        sizes = _sizes(image, SizeTensor, OutSize, given, (out_d, out_h, out_w)[-axes:])
        used = [None] * axes if ratio_from_sizes or not given else given
        taps = _all_taps(method, image, (used, sizes), align_corners, align_mode)
        repeats = [along.repeats(size) for along, size in zip(taps, image, strict=True)]
        if axes == 2 and not channel_last and all(repeats):
            workspace = np.empty(_repeat_workspace(X.shape, repeats[1]), X.dtype)
            return _repeated(X, repeats[0], repeats[1], out, workspace)
        return write(out, resample(X, taps, first))


_BLOCK = 64 * 1024
"""Elements of a block of rows that are made once and copied: half a second-level cache."""


def _repeat_workspace(shape: Sequence[int], columns: int) -> int:
    _, channels, height, width = shape
    return min(channels, max(1, _BLOCK // max(height * width * columns, 1))) * height * width * columns


def _repeated(x: Array, rows: int, columns: int, out: Array | None, workspace: Array) -> Array:
    """Every pixel `rows` times `columns` times, written in strides that are long inside."""
    batch, channels, height, width = x.shape
    if out is None:
        out = np.empty((batch, channels, height * rows, width * columns), x.dtype)
    if not workspace.size:
        return out
    wide = workspace.reshape(-1, height, width * columns)
    for n in range(batch):
        for first in range(0, channels, len(wide)):
            block = slice(first, min(first + len(wide), channels))
            made = wide[: block.stop - block.start]
            for j in range(columns):
                made[:, :, j::columns] = x[n, block]
            for i in range(rows):
                out[n, block, i::rows] = made
    return out


for _op, _method, _axes in (
    ("nearest_interp_v2", "nearest", 2),
    ("linear_interp_v2", "linear", 1),
    ("bilinear_interp_v2", "linear", 2),
    ("trilinear_interp_v2", "linear", 3),
    ("bicubic_interp_v2", "cubic", 2),
):
    _register(_op, _method, _axes)
