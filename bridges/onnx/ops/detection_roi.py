"""roi_align, roi_align_indexed → RoiAlign, max_roi_pool → MaxRoiPool (ONNX opset 21).

X float32[N, C, H, W], ROIs float32[R, 4].  Boxes whose images are in a LoD are declined.
"""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Tensor
from lite.ir.types import DType
from lite.plugin.device import BridgeOp


@converts("roi_align")
def roi_align(op: BridgeOp, ctx: Context) -> None:
    """roi_align → RoiAlign; RoisNum, the number of boxes per image, gives the image of each box."""
    b, counts = ctx.builder, ctx.optional(op, "RoisNum")
    if counts is None:
        raise Declined("the image of each box is in a LoD, which only the host reads")
    boxes = ctx.input(op, "ROIs")
    ends = b.add("CumSum", b.cast(counts, DType.INT64), b.scalar(0, DType.INT64))
    number = b.rank_0(b.size(boxes, 0))
    rows = b.add("Range", b.scalar(0, DType.INT64), number, b.scalar(1, DType.INT64))
    image_ended = b.add("GreaterOrEqual", b.unsqueeze(rows, 1), ends, dtype=DType.BOOL)
    images = b.add("ReduceSum", b.cast(image_ended, DType.INT64), b.ints(1), keepdims=0)
    ctx.output(op, _roi_align(op, ctx, boxes, images, "avg", max(op.integer("sampling_ratio"), 0)))


@converts("roi_align_indexed")
def roi_align_indexed(op: BridgeOp, ctx: Context) -> None:
    """roi_align_indexed → RoiAlign; Images has the image of each box."""
    images = ctx.builder.cast(ctx.input(op, "Images"), DType.INT64)
    kind = op.text("pooling_type")
    ctx.output(op, _roi_align(op, ctx, ctx.input(op, "ROIs"), images, kind, op.integer("sampling_ratio")))


def _roi_align(op: BridgeOp, ctx: Context, boxes: Tensor, images: Tensor, mode: str, samples: int) -> Tensor:
    return ctx.builder.add(
        "RoiAlign",
        ctx.input(op, "X"),
        boxes,
        images,
        mode=mode,
        output_height=op.integer("pooled_height"),
        output_width=op.integer("pooled_width"),
        sampling_ratio=samples,
        spatial_scale=op.real("spatial_scale"),
        coordinate_transformation_mode="half_pixel" if op.flag("aligned") else "output_half_pixel",
    )


@converts("max_roi_pool")
def max_roi_pool(op: BridgeOp, ctx: Context) -> None:
    """max_roi_pool → MaxRoiPool; ONNX does not say how halves of scaled boxes are rounded."""
    if op.real("spatial_scale") % 1:
        raise Declined(
            f"spatial_scale is {op.real('spatial_scale')}: runtimes round scaled boxes in several ways"
        )
    result = ctx.builder.add(
        "MaxRoiPool",
        ctx.input(op, "X"),
        ctx.input(op, "ROIs"),
        pooled_shape=op.integers("pooled_shape"),
        spatial_scale=op.real("spatial_scale"),
    )
    ctx.output(op, result)
