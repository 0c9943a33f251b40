"""conv_integer of lines and images: the filters times the windows of an image, as matrices of bytes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import DType
from lite.kernels.cpu.codes import SUMS
from lite.kernels.cpu.matmul.integer_products import IntegerProducts, Operand, packed_columns, packed_rows
from lite.kernels.cpu.native.function import FREE, Function
from lite.ops.window import Window, onnx_windows
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_spread, _multiply = Function("byte_windows.spread"), Function("integers.multiply")


@dataclass(frozen=True)
class _Attributes:
    auto_pad: str
    dilations: tuple[int, ...]
    group: int
    pads: tuple[int, ...]
    strides: tuple[int, ...]


@kernel("conv_integer", "cpu", fallback="host")
def conv_integer(ctx: PrepareContext) -> KernelFunction | None:
    """The cross-correlation of bytes ``X[N, C, (H,) W]`` and ``Filter[O, C/group, (h,) w]``, int32."""
    attrs = ctx.attrs.read(_Attributes)
    x, weight = ctx.inputs["X"][0].sizes, ctx.inputs["Filter"][0].sizes
    filters, image = Operand.of(ctx, "Filter", DType.UINT8), Operand.of(ctx, "X", DType.INT8)
    shape = ctx.outputs["Out"][0].sizes
    if len(x) not in (3, 4) or filters is None or image is None or 0 in (*x, *weight, *shape):
        return None
    if math.prod(image.zero_shape) != 1:
        return None
    over = onnx_windows(x[2:], weight[2:], attrs.strides, attrs.dilations, attrs.pads, attrs.auto_pad)
    rows, pixels = weight[0] // attrs.group, math.prod(shape[2:])
    matrices, depth = x[0] * attrs.group, math.prod(weight[1:])
    sizes = IntegerProducts(matrices, attrs.group, matrices, rows, depth, pixels, rows)
    if filters.zero_shape == (weight[0],):
        filters = replace(filters, zero_shape=(attrs.group, rows, 1))
    from lite.kernels.cpu.tile_sizes import LANES, ROWS, columns_for

    width = columns_for(pixels)
    first = packed_rows(ctx, sizes, filters)
    # Windows are packed in each run, also those of a constant image.
    second = packed_columns(ctx, sizes, replace(image, array=None), width * LANES)
    if first is None or second is None:
        return None
    windows = None
    if any(_moves(window) for window in over):
        windows = ctx.scratch((matrices * depth * pixels,), np.uint8)
        spread = _spread.bind(
            FREE, FREE, _geometry(over, x[2:], shape[2:]), FREE,
            count=matrices * depth, cost=PER_ELEMENT * matrices * depth * pixels // 4,
        )  # fmt: skip
    compute = _multiply.bind(
        FREE, FREE, FREE, FREE, None, None, np.zeros(5, np.float32), None, None, FREE, SUMS, width, rows,
        -(-depth // 4), pixels, attrs.group, matrices, 0.0, 0.0,
        count=matrices * rows, cost=sizes.cost / 4, grain=ROWS[width],
    )  # fmt: skip
    none = np.zeros(1, np.uint8)

    def run(
        X: Array, Filter: Array, XZeroPoint: Array | None, FilterZeroPoint: Array | None,
        *, out: Array | None = None,
    ) -> Array:  # fmt: skip
        result = np.empty(shape, np.int32) if out is None else out
        y = X
        if windows is not None:
            y, zero = windows.array, none if XZeroPoint is None else XZeroPoint
            spread(X.view(np.uint8), zero.view(np.uint8), y)
        compute(*first(Filter, FilterZeroPoint), *second(y, XZeroPoint), result)
        return result

    return only_launches(run)


def _moves(window: Window) -> bool:
    return (window.kernel, window.stride, window.before, window.after) != (1, 1, 0, 0)


def _geometry(over: list[Window], sizes: tuple[int, ...], outs: tuple[int, ...]) -> Array:
    """The numbers of `compiled.microkernels.windows`; a line is an image of one row."""
    lines = [Window(1, 1, 1, 0, 0)] * (2 - len(over))
    down, right = [*lines, *over]
    height, width = [1] * len(lines) + list(sizes)
    out_height, out_width = [1] * len(lines) + list(outs)
    return np.array([
        height, width, 1, out_height, out_width, 1, down.kernel, right.kernel, down.stride, right.stride,
        down.dilation, right.dilation, down.before, right.before, 1,
    ])  # fmt: skip
