"""stored_fc with constant weights, which are packed in panels of the type in which they are stored."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.activation.activation import activation_of
from lite.kernels.cpu.arrays import padded_vector
from lite.kernels.cpu.codes import BFLOATS, HALVES, NIBBLES, SIGNED_BYTES
from lite.kernels.cpu.convolution.epilogue import has_constant_vectors
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel

_multiply = Function("stored.multiply")

_KINDS = {DType.FLOAT16: HALVES, DType.BFLOAT16: BFLOATS, DType.INT8: SIGNED_BYTES, DType.UINT8: NIBBLES}


@kernel(
    "stored_fc",
    "cpu",
    dtype=DType.FLOAT32,
    slots=("Input",),
    packs=("W", "Scale", "ZeroPoint", "Bias"),
    fallback="host",
)
def stored_fc(ctx: PrepareContext) -> KernelFunction | None:
    """activation(Input · ((W - ZeroPoint) · Scale) + Bias) in float32, with W of fewer bits."""
    attrs, weight, scale, bias = ctx.attrs, ctx.constant("W"), ctx.constant("Scale"), ctx.constant("Bias")
    activation = activation_of(attrs.text("activation"), attrs.reals("activation_params"))
    if weight is None or activation is None or not has_constant_vectors(ctx):
        return None
    kind, zero = _KINDS.get(DType.from_numpy(weight.dtype)), ctx.constant("ZeroPoint")
    if kind is None or (kind in (SIGNED_BYTES, NIBBLES)) != (scale is not None):
        return None
    if (scale is None and ctx.inputs.get("Scale")) or (kind == NIBBLES) != (zero is not None):
        return None
    from lite.kernels.cpu.tile_sizes import LANES, columns_for

    sizes, lead = ctx.inputs["Input"][0].sizes, attrs.integer("in_num_col_dims")
    rows, depth, channels = math.prod(sizes[:lead]), math.prod(sizes[lead:]), weight.shape[1]
    if not (rows and depth and channels):
        return None
    columns = columns_for(channels)
    lanes = columns * LANES
    padded = -(-channels // lanes) * lanes
    w = ctx.shared(f"stored {columns}", lambda: _panels(weight, lanes))
    b = ctx.shared(f"bias {padded}", lambda: padded_vector(bias, channels, 1, padded))
    blocks = np.ones((1, channels), np.float32) if scale is None else scale.reshape(-1, scale.shape[-1])
    spread = np.broadcast_to(blocks, (len(blocks), channels))
    scales = ctx.shared(f"scales {padded}", lambda: _panels(spread, lanes).view(np.float32))
    points = None
    if zero is not None:
        if zero.size != spread.size:
            return None
        spread_zero = zero.reshape(spread.shape)
        points = ctx.shared(f"zeros {padded}", lambda: _panels(spread_zero, lanes).view(np.float32))
    panel = ctx.scratch_per_thread(depth * lanes)
    job = _multiply.bind(
        FREE, w, scales, points, b, activation.parameters, panel, FREE, activation.flags, kind, columns,
        rows, depth, -(-depth // len(blocks)), len(blocks), channels,
        count=padded // lanes, cost=rows * depth * channels,
    )  # fmt: skip
    return launching(job, ctx.outputs["Out"][0])


def _panels(array: Array, lanes: int) -> Array:
    """``[K, N]`` as ``[panels, K, lanes]``, flat, as bytes; N is padded with zeros."""
    depth, channels = array.shape
    padded = np.zeros((depth, -(-channels // lanes) * lanes), array.dtype)
    padded[:, :channels] = array
    panels = padded.reshape(depth, -1, lanes).transpose(1, 0, 2)
    return np.ascontiguousarray(panels).reshape(-1).view(np.uint8)
