"""yolo_box, box_coder → elementary ops: Split, Sigmoid, Exp, Multiply, … (opset 15).

yolo_box: X float32[N, anchors · (5 + classes), H, W] with known H and W, ImgSize int32[N, 2].  A box whose
confidence equals the threshold up to rounding may be kept here and dropped on the host, or vice versa.
box_coder: PriorBox float32[M, 4]; TargetBox is float32[N, 4] when encoding, float32[N, M, 4] when decoding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import FLOAT, INT32, why_not_mixed_types, why_not_tensors
from lite.bridges.openvino.row import Context
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("openvino", "yolo_box")
class YoloBox:
    """X, ImgSize → Boxes float32[N, anchors · H · W, 4] and Scores float32[N, anchors · H · W, classes]."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_tensors(op, FLOAT, {"ImgSize": INT32}, outputs=("Scores",))
        if reason is None and any(isinstance(dim, str) for dim in op["X"].dims[2:]):
            return f"the size of the grid must be known, X is {op['X']}"
        return reason

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, x, dtype = ctx.builder, ctx.input(op, "X"), op["X"].dtype
        anchors = np.array(op.integers("anchors"), dtype.numpy).reshape(-1, 2)
        count, classes = len(anchors), op.integer("class_num")
        height, width = (int(dim) for dim in op["X"].dims[2:])
        iou = None
        if op.flag("iou_aware"):
            iou, x = b.op.variadic_split(x, b.integer(1), b.ints([count, -1])).outputs()
        head = b.reshape(x, [0, count, 5 + classes, height, width])
        centers, sizes, objectness, labels = b.op.variadic_split(
            head, b.integer(2), b.ints([2, 2, 1, classes])
        ).outputs()
        image = b.op.gather(b.cast(ctx.input(op, "ImgSize"), dtype), b.ints([1, 0]), b.integer(1))
        image = b.op.reshape(image, b.ints([-1, 1, 2, 1, 1]), False)
        confidence = _confidence(b, op, objectness, iou)
        corners = _corners(b, op, centers, sizes, image, anchors)
        scores = b.op.multiply(b.op.sigmoid(labels), confidence)
        kept = b.op.greater_equal(confidence, b.like(op.real("conf_thresh"), confidence))
        for slot, tensor, size in (("Boxes", corners, 4), ("Scores", scores, classes)):
            masked = b.op.select(kept, tensor, b.like(0, objectness))
            flat = b.reshape(b.transpose(masked, [0, 1, 3, 4, 2]), [0, count * height * width, size])
            if op.writes(slot):
                ctx.output(op, flat, slot)


def _confidence(b: Builder, op: BridgeOp, objectness: Tensor, iou: Tensor | None) -> Tensor:
    """σ(objectness), or σ(objectness)^(1 − f) · σ(iou)^f with f = iou_aware_factor."""
    confidence = b.op.sigmoid(objectness)
    if iou is None:
        return confidence
    factor = op.real("iou_aware_factor")
    overlap = b.op.sigmoid(b.op.unsqueeze(iou, b.ints([2])))
    return b.op.multiply(
        b.op.power(confidence, b.like(1 - factor, confidence)), b.op.power(overlap, b.like(factor, overlap))
    )


def _corners(
    b: Builder, op: BridgeOp, centers: Tensor, sizes: Tensor, image: Tensor, anchors: np.ndarray[Any, Any]
) -> Tensor:
    """The corners (x1, y1, x2, y2) in pixels, float32[N, anchors, 4, H, W]."""
    height, width = (int(dim) for dim in op["X"].dims[2:])
    scale, dtype = op.real("scale_x_y"), anchors.dtype
    cells = np.stack(np.broadcast_arrays(np.arange(width), np.arange(height)[:, None])).astype(dtype)
    grid = np.array([width, height], dtype).reshape(2, 1, 1)
    shift = b.constant("cells", cells - dtype.type(0.5 * (scale - 1)))
    centers = b.op.add(b.op.multiply(b.op.sigmoid(centers), b.like(scale, centers)), shift)
    centers = b.op.divide(b.op.multiply(centers, image), b.constant("grid", grid))
    share = anchors[:, :, None, None] / (2 * op.integer("downsample_ratio") * grid)
    halves = b.op.multiply(b.op.exp(sizes), b.constant("anchors", share.astype(dtype)))
    halves = b.op.multiply(halves, image)
    low, high = b.op.subtract(centers, halves), b.op.add(centers, halves)
    if op.flag("clip_bbox"):
        low = b.op.maximum(low, b.like(0, image))
        high = b.op.minimum(high, b.op.subtract(image, b.like(1, image)))
    return b.op.concat([low, high], 2)


@bridge("openvino", "box_coder")
class BoxCoder:
    """PriorBox, TargetBox → boxes, encoded or decoded as `code_type` states."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, FLOAT) or why_not_mixed_types(op, *op.node.inputs)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, target = ctx.builder, ctx.input(op, "TargetBox")
        offset = 0.0 if op.flag("box_normalized") else 1.0
        center, size = _center(b, ctx.input(op, "PriorBox"), offset)
        scale = ctx.optional(op, "PriorBoxVar")
        if scale is None:
            numbers = np.array(op.reals("variance") or [1.0] * 4, op["TargetBox"].dtype.numpy)
            scale = b.constant("variance", numbers)
        if op.text("code_type") == "encode_center_size":
            ctx.output(op, _encoded(b, target, offset, center, size, scale))
            return
        if op.integer("axis") == 1:
            center, size = (b.op.unsqueeze(part, b.ints([1])) for part in (center, size))
            if op.get("PriorBoxVar") is not None and op["PriorBoxVar"].rank == 2:
                scale = b.op.unsqueeze(scale, b.ints([1]))
        shift, growth = b.op.split(
            b.op.multiply(target, scale), b.integer(op["TargetBox"].rank - 1), 2
        ).outputs()
        middle = b.op.add(b.op.multiply(shift, size), center)
        half = b.op.multiply(b.op.multiply(b.op.exp(growth), size), b.like(0.5, target))
        high = b.op.subtract(b.op.add(middle, half), b.like(offset, target))
        ctx.output(op, b.op.concat([b.op.subtract(middle, half), high], op["TargetBox"].rank - 1))


def _center(b: Builder, boxes: Tensor, offset: float) -> tuple[Tensor, Tensor]:
    low, high = b.op.split(boxes, b.integer(1), 2).outputs()
    size = b.op.add(b.op.subtract(high, low), b.like(offset, boxes))
    return b.op.add(low, b.op.multiply(size, b.like(0.5, boxes))), size


def _encoded(
    b: Builder, target: Tensor, offset: float, center: Tensor, size: Tensor, scale: Tensor
) -> Tensor:
    low, high = b.op.split(target, b.integer(1), 2).outputs()
    middle = b.op.unsqueeze(b.op.multiply(b.op.add(low, high), b.like(0.5, target)), b.ints([1]))
    target_size = b.op.unsqueeze(_center(b, target, offset)[1], b.ints([1]))
    shift = b.op.divide(b.op.subtract(middle, center), size)
    growth = b.op.log(b.op.abs(b.op.divide(target_size, size)))
    return b.op.divide(b.op.concat([shift, growth], 2), scale)
