"""col2im of float32 to images and lines."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.ops.window import onnx_windows
from lite.plugin.kernel import KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_fold = Function("fold.fold")

_AXES = 2


@kernel(
    "col2im", "cpu", dtype=DType.FLOAT32, slots=("X",), packs=("ImageShape", "BlockShape"), fallback="host"
)
def col2im(ctx: PrepareContext) -> KernelFunction | None:
    """Columns ``[N, C·block, positions]`` added up in images ``[N, C, H, W]`` or lines ``[N, C, W]``.

    None for computed shapes, for volumes, and for borders that are cut off.
    """
    attrs, [x] = ctx.attrs, ctx.inputs["X"]
    image_shape, block_shape = ctx.constant("ImageShape"), ctx.constant("BlockShape")
    if image_shape is None or block_shape is None or len(image_shape) > _AXES:
        return None
    image, block = image_shape.tolist(), block_shape.tolist()
    over = onnx_windows(
        image, block, attrs.integers("strides"), attrs.integers("dilations"), attrs.integers("pads"), "NOTSET"
    )
    counts = [int(window.out(size)) for window, size in zip(over, image, strict=True)]
    shape, missing = ctx.outputs["Out"][0].sizes, _AXES - len(image)
    if 0 in (*x.sizes, *shape) or any(min(window.before, window.after) < 0 for window in over):
        return None
    if x.sizes[1:] != (shape[1] * math.prod(block), math.prod(counts)):
        return None
    ones, zeros = [1] * missing, [0] * missing
    sizes = [
        *ones, *image, *ones, *block, *ones, *counts, *ones, *(window.stride for window in over),
        *ones, *(window.dilation for window in over), *zeros, *(window.before for window in over),
    ]  # fmt: skip
    job = _fold.bind(
        FREE,
        FREE,
        np.array(sizes, np.int64),
        count=shape[0] * shape[1],
        cost=PER_ELEMENT * math.prod(x.sizes),
    )
    return launching(job, ctx.outputs["Out"][0])
