"""Resizing of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.layout import channels_back, channels_first
from lite.bridges.openvino.row import Context
from lite.bridges.openvino.support import FLOAT, INDEX, refused
from lite.ir.types import DType
from lite.ops.interp import OUT_ATTRS, factors
from lite.ops.window import is_channel_last, spatial
from lite.plugin.bridge import bridge
from lite.plugin.bridge_op import BridgeOp
from lite.plugin.device import Device

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
    """Interpolate, by sizes, or by scales where sizes alone would not say the step between pixels."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = refused(op, FLOAT, {"OutSize": INDEX, "SizeTensor": INDEX})
        return reason or (_why_not_cubic(op) if _METHODS[op.op] == "cubic" else None)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, rank, last = ctx.builder, op["X"].rank, is_channel_last(op.text("data_layout"))
        x = channels_first(b, ctx.input(op, "X"), rank, last=last)
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
        ctx.output(op, channels_back(b, result, rank, last=last))


def _coordinates(op: BridgeOp, method: str) -> str:
    if op.flag("align_corners"):
        return "align_corners"
    if method == "nearest" or (method == "linear_onnx" and op.integer("align_mode") == 1):
        return "asymmetric"
    # A single element of the output is the first of the input, not that in the middle.
    return "pytorch_half_pixel" if method == "linear_onnx" else "half_pixel"


def _why_not_cubic(op: BridgeOp) -> str | None:
    """OpenVINO leaves an axis alone whose size stays, whatever the scale, and centres a single element."""
    wanted = spatial(op.text("data_layout"), op.output().dims)
    image = spatial(op.text("data_layout"), op["X"].dims)
    if not all(isinstance(size, int) for size in (*wanted, *image)):
        return f"the sizes before and after must be known, got {op['X']} and {op.output()}"
    if 1 in wanted:
        return f"it makes a single row or column, {op.output()}"
    scale = op.get("Scale")
    if scale is not None and scale.value is None:
        return "Scale is a tensor whose numbers are not known"
    found = op.reals("scale") if scale is None or scale.value is None else scale.value.reshape(-1).tolist()
    scales = factors(found, len(image))
    if scales and not _sizes_say_it(op, image, wanted, scales):
        return f"scales {scales} of sizes {image} do not make whole sizes"
    return None


def _target(op: BridgeOp, ctx: Context) -> tuple[Tensor, str]:
    """The output's sizes, or the scales, and which of the two it is."""
    b = ctx.builder
    sizes = [b.reshape(b.cast(tensor, DType.INT64), [-1]) for tensor in ctx.inputs(op, "SizeTensor")]
    if sizes:
        return b.op.concat(sizes, 0), "sizes"
    given = ctx.optional(op, "OutSize")
    if given is not None:
        return b.reshape(b.cast(given, DType.INT64), [-1]), "sizes"
    image = spatial(op.text("data_layout"), op["X"].dims)
    scale = op.get("Scale")
    if scale is not None and scale.value is None:
        return _computed_scales(b, ctx.input(op, "Scale"), len(image), scale.dims), "scales"
    found = op.reals("scale") if scale is None or scale.value is None else scale.value.reshape(-1).tolist()
    scales = factors(found, len(image))
    if not scales:
        return b.ints([op.integer(name) for name in OUT_ATTRS[-len(image) :]]), "sizes"
    wanted = spatial(op.text("data_layout"), op.output().dims)
    if _sizes_say_it(op, image, wanted, scales):
        return b.ints([int(size) for size in wanted]), "sizes"
    return b.constant("scales", np.array(scales, np.float32)), "scales"


def _computed_scales(b: Builder, scale: Tensor, axes: int, dims: tuple[int | str, ...]) -> Tensor:
    scale = b.reshape(b.cast(scale, DType.FLOAT32), [-1])
    return b.op.broadcast(scale, b.ints([axes])) if dims in ((), (1,)) else scale


def _sizes_say_it(op: BridgeOp, image: list[int | str], wanted: list[int | str], scales: list[float]) -> bool:
    """Whether the ratios of the sizes are the scales, or count instead of them."""
    if not all(isinstance(size, int) for size in (*image, *wanted)):
        return False
    if op.flag("ratio_from_sizes") or op.flag("align_corners"):
        return True
    return all(int(size) * scale == int(out) for size, out, scale in zip(image, wanted, scales, strict=True))
