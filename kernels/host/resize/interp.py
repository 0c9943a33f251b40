"""Resizing of images by numpy: the interpolations of Paddle."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.host.resize.resample import Taps, cubic, linear, nearest, resample, source_step
from lite.ops.resize_sizes import factors, scaled
from lite.ops.window import is_channel_last
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel, write


@dataclass(frozen=True)
class _Attributes:
    out_d: int
    out_h: int
    out_w: int
    scale: tuple[float, ...]
    align_corners: bool
    align_mode: int
    data_layout: str
    ratio_from_sizes: bool
    ratio_for_one: bool

    @property
    def is_channel_last(self) -> bool:
        """Whether images are NHWC."""
        return is_channel_last(self.data_layout)

    def factors(self, axes: int, tensor: Array | None) -> list[float]:
        """The scale of each axis, from the slot Scale or the attribute; empty without a positive scale."""
        return factors(self.scale if tensor is None else tensor.reshape(-1).tolist(), axes)

    def taps(
        self, method: str, image: Sequence[int], scales: Sequence[float], outs: Sequence[int]
    ) -> list[Taps]:
        """The taps along each axis, for images and results of these sizes.

        The step in the input is the inverse of the scale or, without a scale, the ratio of the sizes; with
        `ratio_from_sizes` always the latter, as in the first version of these ops.  A result of one element
        is the first of the input; with `ratio_for_one` it lies at the ratio of the sizes, as others do.
        """
        steps = [None] * len(image) if self.ratio_from_sizes or not scales else scales
        return [
            _taps(method, size, out, factor, self.align_corners, self.align_mode, self.ratio_for_one)
            for size, factor, out in zip(image, steps, outs, strict=True)
        ]


def _sizes(
    image: Sequence[int],
    tensors: Sequence[Array] | None,
    out_size: Array | None,
    scales: Sequence[float],
    attributes: Sequence[int],
) -> list[int]:
    if tensors:
        return [int(size.reshape(-1)[0]) for size in tensors]
    if out_size is not None:
        return [int(size) for size in out_size.reshape(-1)]
    if scales:
        return [int(scaled(size, factor)) for size, factor in zip(image, scales, strict=True)]
    return list(attributes)


@functools.lru_cache(maxsize=256)
def _taps(
    method: str,
    size: int,
    out: int,
    factor: float | None,
    align_corners: bool,
    align_mode: int,
    ratio_for_one: bool,
) -> Taps:
    step = source_step(size, out, factor, align_corners)
    if ratio_for_one and out == 1:
        step = np.float32(size)
    if method == "nearest":
        return nearest(size, out, step, align_corners)
    if method == "cubic":
        return cubic(size, out, step, not align_corners)
    return linear(size, out, step, align_mode == 0 and not align_corners)


def _prepare(ctx: PrepareContext, method: str) -> KernelFunction | None:
    """A repetition of pixels, where the result is one."""
    x, y, scale = ctx.inputs["X"][0], ctx.outputs["Out"][0], ctx.constant("Scale")
    attrs = ctx.attrs.read(_Attributes)
    has_sizes = bool(ctx.inputs.get("SizeTensor"))
    if attrs.is_channel_last or not (has_sizes or not ctx.inputs.get("Scale") or scale is not None):
        return None
    shape, outs = x.sizes, y.sizes[2:]
    taps = attrs.taps(method, shape[2:], [] if has_sizes else attrs.factors(2, scale), outs)
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
    @kernel(op, attrs=_Attributes, prepare=functools.partial(_prepare, method=method) if axes == 2 else None)
    def interp(
        X: Array,
        OutSize: Array | None,
        SizeTensor: Sequence[Array] | None,
        Scale: Array | None,
        *,
        attrs: _Attributes,
        out: Array | None = None,
    ) -> Array:
        """Paddle's interpolation: X ``float[N, C, …]`` (or channels last) with other spatial sizes."""
        channel_last = attrs.is_channel_last
        first = 1 if channel_last else 2
        image = X.shape[first : first + axes]
        scales = [] if SizeTensor else attrs.factors(axes, Scale)
        sizes = _sizes(image, SizeTensor, OutSize, scales, (attrs.out_d, attrs.out_h, attrs.out_w)[-axes:])
        taps = attrs.taps(method, image, scales, sizes)
        repeats = [along.repeats(size) for along, size in zip(taps, image, strict=True)]
        if axes == 2 and not channel_last and all(repeats):
            workspace = np.empty(_repeat_workspace(X.shape, repeats[1]), X.dtype)
            return _repeated(X, repeats[0], repeats[1], out, workspace)
        return write(out, resample(X, taps, first))


_BLOCK = 64 * 1024
"""Elements of a block of rows that is filled once and copied: half a second-level cache."""


def _repeat_workspace(shape: Sequence[int], columns: int) -> int:
    _, channels, height, width = shape
    return min(channels, max(1, _BLOCK // max(height * width * columns, 1))) * height * width * columns


def _repeated(x: Array, rows: int, columns: int, out: Array | None, workspace: Array) -> Array:
    """Every pixel repeated `rows` × `columns` times; the inner loops of all copies are long."""
    batch, channels, height, width = x.shape
    if out is None:
        out = np.empty((batch, channels, height * rows, width * columns), x.dtype)
    if not workspace.size:
        return out
    wide = workspace.reshape(-1, height, width * columns)
    for n in range(batch):
        for first in range(0, channels, len(wide)):
            block = slice(first, min(first + len(wide), channels))
            repeated = wide[: block.stop - block.start]
            for j in range(columns):
                repeated[:, :, j::columns] = x[n, block]
            for i in range(rows):
                out[n, block, i::rows] = repeated
    return out


for _op, _method, _axes in (
    ("nearest_interp_v2", "nearest", 2),
    ("linear_interp_v2", "linear", 1),
    ("bilinear_interp_v2", "linear", 2),
    ("trilinear_interp_v2", "linear", 3),
    ("bicubic_interp_v2", "cubic", 2),
):
    _register(_op, _method, _axes)
