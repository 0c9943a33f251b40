"""conv2d by numpy: picks one of four algorithms and packs the filter for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.host.compute_dtype import compute_dtype
from lite.kernels.host.convolution.conv2d_depthwise import depthwise
from lite.kernels.host.convolution.conv2d_im2col import im2col
from lite.kernels.host.convolution.conv2d_pointwise import pointwise
from lite.kernels.host.convolution.conv2d_taps import taps
from lite.kernels.host.convolution.convolution import (
    Algorithm,
    Compute,
    Convolution,
    Workspaces,
    packed_filter,
)
from lite.kernels.host.convolution.epilogue import Epilogue
from lite.kernels.host.quantize.affine_quantize import as_bytes
from lite.ops.image_attributes import QuantizingAttributes
from lite.ops.window import Window
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel, write

_MOST_OUTPUTS = 4
"""Outputs of a channel up to which a sum over shifted planes for each is faster than a product."""


@dataclass(frozen=True)
class _Conv2d(QuantizingAttributes, Convolution):
    """The attributes of conv2d, which can quantise its results to bytes."""

    def result(
        self,
        compute: Compute,
        shape: Sequence[int],
        x: Array,
        packed: Array,
        epilogue: Epilogue,
        out: Array | None,
        workspace: Array,
    ) -> Array:
        """The result of `Convolution.run`, quantised to bytes if `out_scale` is not 0."""
        if not self.out_scale:
            return self.run(compute, shape, x, packed, epilogue, out, workspace)
        y = self.run(compute, shape, x, packed, epilogue, None, workspace)
        return write(out, as_bytes(y, self.out_scale, self.out_zero_point))


@dataclass(frozen=True)
class _Choice:
    """An algorithm for certain shapes; `name` identifies the order of elements that `pack` returns."""

    name: str
    pack: Callable[[Array], Array]
    algorithm: Algorithm


def _choose(
    batch: int,
    image: Sequence[int],
    filter_shape: Sequence[int],
    groups: int,
    windows: Sequence[Window],
    outs: Sequence[int],
    itemsize: int,
) -> _Choice:
    inputs, width = image[0], outs[2]
    outputs, per_group, rows, columns = filter_shape
    grouped = (groups, outputs // groups, per_group * rows * columns)
    unit_stride = all(w.stride == 1 for w in windows)
    if rows == columns == 1 and not any(w.before or w.after for w in windows):
        return _Choice(
            "grouped",
            lambda weight: weight.reshape(grouped),
            pointwise(inputs, windows, outs, itemsize),
        )
    if groups == inputs and per_group == 1 and outputs <= _MOST_OUTPUTS * groups:
        return _Choice(
            "depthwise",
            lambda weight: weight.reshape(outputs, rows, columns),
            depthwise(batch, inputs, windows, outs, itemsize),
        )
    if unit_stride and groups == 1 and inputs >= 16 and outputs <= inputs and 2 * windows[1].extent <= width:
        return _Choice(
            "taps",
            lambda weight: weight.transpose(2, 3, 0, 1).reshape(rows, columns * outputs, inputs),
            taps(image, windows, outs, itemsize),
        )
    return _Choice(
        "grouped",
        lambda weight: weight.reshape(grouped),
        im2col(image, windows, outs, itemsize),
    )


def _bind(
    conv: Convolution, shape: Sequence[int], filter_shape: Sequence[int], dtype: np.dtype[Any]
) -> tuple[_Choice, list[int]]:
    batch, *image = conv.nchw(shape)
    windows = conv.windows(image[1:], filter_shape[2:])
    outs = [filter_shape[0], *(int(w.out(size)) for w, size in zip(windows, image[1:], strict=True))]
    choice = _choose(batch, image, filter_shape, conv.groups, windows, outs, compute_dtype(dtype).itemsize)
    return choice, [batch, *outs]


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    weight, image = ctx.constant("Filter"), ctx.inputs["Input"][0]
    if weight is None:
        return None
    conv = ctx.attrs.read(_Conv2d)
    choice, out_shape = _bind(conv, image.sizes, weight.shape, image.dtype.numpy)
    packed = ctx.shared(f"filter {choice.name}", lambda: packed_filter(choice.pack(weight)))
    workspaces = Workspaces(ctx, conv, choice.algorithm)

    def run(
        Input: Array,
        Filter: Array,
        Bias: Array | None,
        ResidualData: Array | None,
        PostScale: Array | None,
        PostShift: Array | None,
        *,
        out: Array | None = None,
    ) -> Array:
        epilogue = conv.epilogue(Bias, ResidualData, PostScale, PostShift, workspaces.epilogue)
        return conv.result(
            choice.algorithm.compute, out_shape, Input, packed, epilogue, out, workspaces.algorithm
        )

    return run


def _conv2d(
    Input: Array,
    Filter: Array,
    Bias: Array | None,
    ResidualData: Array | None,
    PostScale: Array | None,
    PostShift: Array | None,
    *,
    attrs: _Conv2d,
    out: Array | None = None,
) -> Array:
    """Paddle conv2d: cross-correlation of images with filters, followed by the epilogue.

    Input is ``float[N, C, H, W]`` (or NHWC), Filter ``[O, C/groups, kh, kw]``.  Narrower floats than float32
    are computed in float32.
    """
    choice, out_shape = _bind(attrs, Input.shape, Filter.shape, Input.dtype)
    packed = packed_filter(choice.pack(Filter))
    epilogue = attrs.epilogue(Bias, ResidualData, PostScale, PostShift)
    workspace = np.empty(choice.algorithm.workspace_size, compute_dtype(Input.dtype))
    return attrs.result(choice.algorithm.compute, out_shape, Input, packed, epilogue, out, workspace)


kernel("conv2d", attrs=_Conv2d, prepare=_prepare, packs=("Filter",))(_conv2d)
