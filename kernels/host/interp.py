"""Resizing of images on the host: nearest, linear, bilinear, trilinear and bicubic."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from lite.kernels.host.resample import Taps, cubic, linear, nearest, resample, source_step
from lite.ops.interp import factors, scaled
from lite.ops.window import is_channel_last
from lite.plugin.kernel import Array, kernel, write


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


def _register(op: str, method: str, axes: int) -> None:
    @kernel(op)
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
        taps = [
            _taps(method, size, wanted, factor, align_corners, align_mode)
            for size, wanted, factor in zip(image, sizes, used, strict=True)
        ]
        repeats = [along.repeats(size) for along, size in zip(taps, image, strict=True)]
        if axes == 2 and not channel_last and all(repeats):
            return _repeated(X, repeats[0], repeats[1], out)
        return write(out, resample(X, taps, first))


def _repeated(x: Array, rows: int, columns: int, out: Array | None) -> Array:
    """Every pixel `rows` times `columns` times, written in strides that are long inside."""
    batch, channels, height, width = x.shape
    if out is None:
        out = np.empty((batch, channels, height * rows, width * columns), x.dtype)
    first = out[:, :, ::rows]
    for j in range(columns):
        first[:, :, :, j::columns] = x
    for i in range(1, rows):
        out[:, :, i::rows] = first
    return out


for _op, _method, _axes in (
    ("nearest_interp_v2", "nearest", 2),
    ("linear_interp_v2", "linear", 1),
    ("bilinear_interp_v2", "linear", 2),
    ("trilinear_interp_v2", "linear", 3),
    ("bicubic_interp_v2", "cubic", 2),
):
    _register(_op, _method, _axes)
