"""conv2d_transpose by numpy: a matrix product, scattered tap by tap."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.host.buffering import small_buffers
from lite.kernels.host.compute_dtype import compute_dtype
from lite.kernels.host.convolution.convolution import Algorithm, Convolution, Workspaces, packed_filter
from lite.kernels.host.convolution.epilogue import Epilogue, tile_rows
from lite.ops.window import Window
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel


@dataclass(frozen=True)
class _Transposed(Convolution):
    output_size: tuple[int, ...]
    output_padding: tuple[int, ...]


def _pack(weight: Array, groups: int) -> Array:
    """``[C, O/groups, kh, kw]`` as ``[groups, kh, kw, O/groups, C/groups]``."""
    inputs, outputs, rows, columns = weight.shape
    return packed_filter(
        weight.reshape(groups, inputs // groups, outputs, rows, columns).transpose(0, 3, 4, 2, 1)
    )


def _algorithm(
    image: Sequence[int],
    filter_shape: Sequence[int],
    groups: int,
    windows: Sequence[Window],
    outs: Sequence[int],
    itemsize: int,
) -> Algorithm:
    """For an image ``[C, H, W]`` and a filter ``[C, O/groups, kh, kw]``, packed by `_pack`."""
    _, height, width = image
    products = groups * math.prod(filter_shape[1:])
    step = tile_rows(height, 3 * products * width * itemsize)
    is_filled = all(_covers(w, size, out) for w, size, out in zip(windows, image[1:], outs[1:], strict=True))
    rows = step * windows[0].stride if is_filled else outs[1]

    def compute(x: Array, weight: Array, out: Array, epilogue: Epilogue, workspace: Array) -> None:
        down = windows[0]
        groups, kernel_rows, kernel_columns, per_group, inputs = weight.shape
        flat_weight = weight.reshape(groups, kernel_rows * kernel_columns * per_group, inputs)
        multiply = np.multiply if inputs == 1 else np.matmul
        pixels = x.reshape(len(x), groups, inputs, height * width)
        images = out.reshape(len(x), groups, per_group, *out.shape[2:])
        if not is_filled:
            out.fill(0)
        for n in range(len(x)):
            for row in range(0, height, step):
                last = min(row + step, height)
                flat = slice(row * width, last * width)
                product = workspace[: products * (last - row) * width]
                product = product.reshape(groups, flat_weight.shape[1], -1)
                multiply(flat_weight, pixels[n, :, :, flat], out=product)
                parts = product.reshape(groups, kernel_rows, kernel_columns, per_group, last - row, width)
                with small_buffers():
                    _scatter(parts, windows, row, images[n], add=not is_filled)
                if is_filled:
                    finished = slice(row * down.stride, last * down.stride)
                    epilogue.apply_in_place(out, n, slice(None), finished)
            if not is_filled:
                epilogue.apply_in_place(out, n, slice(None), slice(None))

    return Algorithm(compute, products * step * width, outs[0] * rows * outs[2])


def _covers(window: Window, size: int, out: int) -> bool:
    """Whether the windows tile the output: each of its elements is written exactly once."""
    exact = window.kernel == window.stride and window.dilation == 1
    return exact and window.before == 0 and out == size * window.stride


def _scatter(parts: Array, windows: Sequence[Window], row: int, out: Array, *, add: bool) -> None:
    """Write or add `parts` ``[groups, kh, kw, O/groups, rows, W]``, from image row `row` on, to `out`."""
    down, right = windows
    for i in range(parts.shape[1]):
        to_rows, from_rows = _positions(down, i, row, parts.shape[4], out.shape[2])
        for j in range(parts.shape[2]):
            to_columns, from_columns = _positions(right, j, 0, parts.shape[5], out.shape[3])
            part = parts[:, i, j, :, from_rows, from_columns]
            target = out[:, :, to_rows, to_columns]
            if add:
                target += part
            else:
                target[...] = part


def _positions(window: Window, tap: int, first: int, count: int, out: int) -> tuple[slice, slice]:
    """Along one axis, the slice of the output for a tap and the slice of the tile added there."""
    offset = first * window.stride + tap * window.dilation - window.before
    start = max(-(offset // window.stride), 0)
    stop = max(min(-(-(out - offset) // window.stride), count), start)
    low = offset + start * window.stride
    return slice(low, low + (stop - start) * window.stride, window.stride), slice(start, stop)


def _out_sizes(
    windows: Sequence[Window], sizes: Sequence[int], output_size: Sequence[int], extra: Sequence[int]
) -> list[int]:
    if output_size:
        return list(output_size)
    added = extra or [0] * len(sizes)
    return [int(w.transposed(size, more)) for w, size, more in zip(windows, sizes, added, strict=True)]


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    weight = ctx.constant("Filter")
    if weight is None:
        return None
    conv = ctx.attrs.read(Convolution)
    packed = ctx.shared("filter", lambda: _pack(weight, conv.groups))
    out_shape = conv.nchw(ctx.outputs["Output"][0].sizes)
    _, *image = conv.nchw(ctx.inputs["Input"][0].sizes)
    windows = conv.windows(image[1:], weight.shape[2:])
    itemsize = compute_dtype(ctx.inputs["Input"][0].dtype.numpy).itemsize
    algorithm = _algorithm(image, weight.shape, conv.groups, windows, out_shape[1:], itemsize)
    workspaces = Workspaces(ctx, conv, algorithm)

    def run(
        Input: Array,
        Filter: Array,
        Bias: Array | None,
        OutputSize: Array | None,
        PostScale: Array | None,
        PostShift: Array | None,
        *,
        out: Array | None = None,
    ) -> Array:
        epilogue = conv.epilogue(Bias, None, PostScale, PostShift, workspaces.epilogue)
        return conv.run(algorithm.compute, out_shape, Input, packed, epilogue, out, workspaces.algorithm)

    return run


def _conv2d_transpose(
    Input: Array,
    Filter: Array,
    Bias: Array | None,
    OutputSize: Array | None,
    PostScale: Array | None,
    PostShift: Array | None,
    *,
    attrs: _Transposed,
    out: Array | None = None,
) -> Array:
    """Paddle conv2d_transpose: the gradient of a convolution with respect to its input.

    Input is ``float[N, C, H, W]`` (or NHWC), Filter ``[C, O/groups, kh, kw]``.  The output size is
    OutputSize, else `output_size`, else the extent of the windows plus `output_padding`.
    """
    batch, *image = attrs.nchw(Input.shape)
    windows = attrs.windows(image[1:], Filter.shape[2:])
    output_size = attrs.output_size if OutputSize is None else [int(size) for size in OutputSize]
    sizes = _out_sizes(windows, image[1:], output_size, attrs.output_padding)
    out_shape = [batch, Filter.shape[1] * attrs.groups, *sizes]
    dtype = compute_dtype(Input.dtype)
    algorithm = _algorithm(image, Filter.shape, attrs.groups, windows, out_shape[1:], dtype.itemsize)
    epilogue = attrs.epilogue(Bias, None, PostScale, PostShift)
    workspace = np.empty(algorithm.workspace_size, dtype)
    return attrs.run(
        algorithm.compute, out_shape, Input, _pack(Filter, attrs.groups), epilogue, out, workspace
    )


kernel("conv2d_transpose", attrs=_Transposed, prepare=_prepare, packs=("Filter",))(_conv2d_transpose)
