"""linear, bilinear, trilinear, nearest and bicubic_interp_v2 → Interpolate (opset 15).

X float16 or float32 [N, C, …] with 1 to 3 spatial axes, or channels last.  Interpolate keeps an axis whose
size does not change, whatever its scale, and centres the result of size 1 of a cubic one: such ops are
declined.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.bridges.openvino.builder import Tensor
from lite.bridges.openvino.limits import FLOAT, INDEX, why_not_tensors
from lite.bridges.openvino.row import Context
from lite.emission.interpolation import scale_places_pixels, stated_scales
from lite.ir.types import Dim, DType
from lite.ops.resize_sizes import OUT_ATTRS
from lite.ops.view import Meta
from lite.ops.window import is_channel_last, spatial
from lite.plugin.device import BridgeOp, Device, bridge

_METHODS = {
    "linear_interp_v2": "linear_onnx",
    "bilinear_interp_v2": "linear_onnx",
    "trilinear_interp_v2": "linear_onnx",
    "nearest_interp_v2": "nearest",
    "bicubic_interp_v2": "cubic",
}


@bridge(
    "openvino",
    "linear_interp_v2",
    "bilinear_interp_v2",
    "trilinear_interp_v2",
    "nearest_interp_v2",
    "bicubic_interp_v2",
)
class Interpolate:
    """X → Interpolate by sizes; by scales where the ratio of the sizes is not the step between pixels."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_tensors(op, FLOAT, {"OutSize": INDEX, "SizeTensor": INDEX})
        if reason is None and _METHODS[op.op] == "cubic":
            reason = _why_not_cubic(op)
        if reason is None and scale_places_pixels(op):
            return "sizes and scale are both given: positions follow scale, and in OpenVINO the sizes"
        return reason or _why_not_scales(op)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, rank, last = ctx.builder, op["X"].rank, is_channel_last(op.text("data_layout"))
        x = b.channels_first(ctx.input(op, "X"), rank, last=last)
        target, mode = _target(op, ctx)
        axes = list(range(2, rank))
        if rank == 3:
            x = b.op.unsqueeze(x, b.ints([2]))
            one = b.ints([1]) if mode == "sizes" else b.constant("one", np.ones(1, np.float32))
            target, axes = b.op.concat([one, target], 0), [2, 3]
        corners = op.flag("align_corners")
        method = _METHODS[op.op]
        node = b.op.interpolate(
            x,
            target,
            method,
            mode,
            coordinate_transformation_mode=_coordinates(op, method),
            nearest_mode="round_prefer_ceil" if corners else "floor",
            cube_coeff=-0.75,
            axes=b.ints(axes),
        )
        result = b.op.squeeze(node, b.ints([2])) if rank == 3 else node.output(0)
        ctx.output(op, b.channels_restored(result, rank, last=last))


def _coordinates(op: BridgeOp, method: str) -> str:
    if op.flag("align_corners"):
        return "align_corners"
    if method == "nearest" or (method == "linear_onnx" and op.integer("align_mode") == 1):
        return "asymmetric"
    # A single element of the output is the first element of the input, not the middle one, by default.
    first = method == "linear_onnx" and not op.flag("ratio_for_one")
    return "pytorch_half_pixel" if first else "half_pixel"


def _why_not_cubic(op: BridgeOp) -> str | None:
    """OpenVINO takes the middle of an axis as a single element, Paddle the first element."""
    sizes = _image(op, op.output())
    if not all(isinstance(size, int) for size in sizes):
        return f"the sizes of the result must be known, it is {op.output()}"
    return f"its result has a single row or column, {op.output()}" if 1 in sizes else None


def _why_not_scales(op: BridgeOp) -> str | None:
    """OpenVINO does not resize an axis whose size does not change, whatever the scale."""
    scales = _scales(op)
    if scales is None:
        return "Scale is a tensor whose numbers are not known"
    image, result = _image(op, op["X"]), _image(op, op.output())
    if not scales or _sizes_decide(op, image, result, scales):
        return None
    by_size = op.flag("ratio_from_sizes") or op.flag("align_corners")
    for size, out, scale in zip(image, result, scales, strict=True):
        unknown = isinstance(size, str) or isinstance(out, str)
        if not scale.is_integer() and (size == out or by_size or (unknown and 1 < scale < 2)):
            return f"a scale of {scale} makes {out} of {size}"
    return None


def _image(op: BridgeOp, meta: Meta) -> list[Dim]:
    return spatial(op.text("data_layout"), meta.dims)


def _scales(op: BridgeOp) -> list[float] | None:
    """One scale per axis, none where the op has sizes instead; None where the scales are not known."""
    if op.all("SizeTensor") or op.get("OutSize") is not None:
        return []
    return stated_scales(op, op["X"].rank - 2)


def _target(op: BridgeOp, ctx: Context) -> tuple[Tensor, str]:
    """The output's sizes and "sizes", or the scales and "scales"."""
    b = ctx.builder
    sizes = [b.reshape(b.cast(tensor, DType.INT64), [-1]) for tensor in ctx.inputs(op, "SizeTensor")]
    if sizes:
        return b.op.concat(sizes, 0), "sizes"
    out_size = ctx.optional(op, "OutSize")
    if out_size is not None:
        return b.reshape(b.cast(out_size, DType.INT64), [-1]), "sizes"
    scales, result = _scales(op), _image(op, op.output())
    if not scales:
        return b.ints([op.integer(name) for name in OUT_ATTRS[2 - op["X"].rank :]]), "sizes"
    if _sizes_decide(op, _image(op, op["X"]), result, scales):
        return b.ints([int(size) for size in result]), "sizes"
    return b.constant("scales", np.array(scales, np.float32)), "scales"


def _sizes_decide(op: BridgeOp, image: list[Dim], result: list[Dim], scales: list[float]) -> bool:
    """Whether the step between pixels is the ratio of the sizes, which are known."""
    if not all(isinstance(size, int) for size in (*image, *result)):
        return False
    if op.flag("ratio_from_sizes") or op.flag("align_corners"):
        return True
    return all(int(size) * scale == int(out) for size, out, scale in zip(image, result, scales, strict=True))
