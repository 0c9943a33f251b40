"""prior_box, anchor_generator, yolo_box, box_coder, … → constants and elementary ops (ONNX opset 21)."""

from __future__ import annotations

import numpy as np

from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Builder, Tensor
from lite.emission.onnx.shape_inputs import require_dims
from lite.ir.types import DType
from lite.ops.view import Meta
from lite.plugin.device import BridgeOp
from lite.plugin.kernel import evaluate

_INPUTS = {
    "prior_box": ("Input", "Image"),
    "density_prior_box": ("Input", "Image"),
    "anchor_generator": ("Input",),
}

_OUTPUTS = {
    "prior_box": ("Boxes", "Variances"),
    "density_prior_box": ("Boxes", "Variances"),
    "anchor_generator": ("Anchors", "Variances"),
}


@converts("prior_box", "density_prior_box", "anchor_generator")
def default_boxes(op: BridgeOp, ctx: Context) -> None:
    """prior_box, density_prior_box, anchor_generator → constants, computed from the sizes of the inputs."""
    inputs = {}
    for slot in _INPUTS[op.op]:
        dims = require_dims(op[slot], slot)
        inputs[slot] = [np.broadcast_to(np.zeros((), op[slot].dtype.numpy), dims)]
    results = evaluate(op.op, inputs, op.node.attrs, dict.fromkeys(_OUTPUTS[op.op], 1))
    for slot in _OUTPUTS[op.op]:
        constant = ctx.builder.array(results[slot][0].array)
        ctx.output(op, ctx.builder.add("Identity", constant), slot)


@converts("yolo_box")
def yolo_box(op: BridgeOp, ctx: Context) -> None:
    """yolo_box → Sigmoid, Exp, Mul, …: boxes (x1, y1, x2, y2) in pixels, and scores.

    X float32[N, anchors · (5 + classes), H, W] with known H and W; zeros where the confidence is below the
    threshold.
    """
    b, x = ctx.builder, ctx.input(op, "X")
    height, width = require_dims(Meta(op["X"].dtype, op["X"].dims[2:]), "the grid")
    classes, anchors = op.integer("class_num"), np.array(op.integers("anchors"), x.dtype.numpy).reshape(-1, 2)
    count, kind = len(anchors), x.dtype
    head = b.slice(x, [count], [2**31], [1]) if op.flag("iou_aware") else x
    head = b.reshape(head, 0, count, 5 + classes, height, width)
    confidence = b.add("Sigmoid", b.slice(head, [4], [5], [2]))
    if op.flag("iou_aware"):
        iou = b.add("Sigmoid", b.reshape(b.slice(x, [0], [count], [1]), 0, count, 1, height, width))
        factor = op.real("iou_aware_factor")
        shares = [b.add("Pow", t, b.scalar(p, kind)) for t, p in ((confidence, 1 - factor), (iou, factor))]
        confidence = b.add("Mul", *shares)
    image = b.slice(b.cast(ctx.input(op, "ImgSize"), kind), [1], [-(2**31)], [1], [-1])
    image = b.reshape(image, -1, 1, 2, 1, 1)
    grid = np.array([width, height], kind.numpy).reshape(2, 1, 1)
    cells = np.stack(np.meshgrid(np.arange(width), np.arange(height))).astype(kind.numpy)
    spread = op.real("scale_x_y")
    centers = b.add("Mul", b.add("Sigmoid", b.slice(head, [0], [2], [2])), b.scalar(spread, kind))
    centers = b.add("Add", centers, b.array(cells - kind.numpy.type(0.5 * (spread - 1))))
    centers = b.add("Mul", centers, b.add("Div", image, b.array(grid)))
    sizes = (anchors[:, :, None, None] / (2 * op.integer("downsample_ratio") * grid)).astype(kind.numpy)
    halves = b.add("Mul", b.add("Exp", b.slice(head, [2], [4], [2])), b.array(sizes))
    halves = b.add("Mul", halves, image)
    first, second = b.add("Sub", centers, halves), b.add("Add", centers, halves)
    if op.flag("clip_bbox"):
        first = b.add("Max", first, b.scalar(0.0, kind))
        second = b.add("Min", second, b.add("Sub", image, b.scalar(1.0, kind)))
    kept = b.add("GreaterOrEqual", confidence, b.scalar(op.real("conf_thresh"), kind), dtype=DType.BOOL)
    scores = b.add("Mul", b.add("Sigmoid", b.slice(head, [5], [2**31], [2])), confidence)
    boxes = b.add("Concat", first, second, axis=2)
    for slot, tensor, last in (("Boxes", boxes, 4), ("Scores", scores, classes)):
        masked = b.add("Where", kept, tensor, b.scalar(0.0, kind), dtype=kind)
        rows = b.transpose(masked, [0, 1, 3, 4, 2])
        ctx.output(op, b.reshape(rows, 0, count * height * width, last), slot)


@converts("box_coder")
def box_coder(op: BridgeOp, ctx: Context) -> None:
    """box_coder → Sub, Div, Log, Exp, …: encodes targets as offsets from priors, or decodes offsets."""
    b, kind = ctx.builder, op["TargetBox"].dtype
    offset = 0.0 if op.flag("box_normalized") else 1.0
    center, size = _center(b, ctx.input(op, "PriorBox"), offset)
    scale = ctx.optional(op, "PriorBoxVar")
    if scale is None and op.reals("variance"):
        scale = b.array(np.array(op.reals("variance"), kind.numpy))
    target = ctx.input(op, "TargetBox")
    if op.text("code_type") == "encode_center_size":
        middle = b.add("Mul", b.add("Add", _half(b, target, 0), _half(b, target, 1)), b.scalar(0.5, kind))
        _, target_size = _center(b, target, offset)
        shift = b.add("Div", b.add("Sub", b.unsqueeze(middle, 1), center), size)
        growth = b.add("Log", b.add("Abs", b.add("Div", b.unsqueeze(target_size, 1), size)))
        encoded = b.add("Concat", shift, growth, axis=-1)
        ctx.output(op, encoded if scale is None else b.add("Div", encoded, scale))
        return
    if op.integer("axis") == 1:
        center, size = b.unsqueeze(center, 1), b.unsqueeze(size, 1)
        if scale is not None and (op.get("PriorBoxVar") is not None and op["PriorBoxVar"].rank == 2):
            scale = b.unsqueeze(scale, 1)
    deltas = target if scale is None else b.add("Mul", target, scale)
    moved = b.add("Add", b.add("Mul", _half(b, deltas, 0), size), center)
    half = b.add("Mul", b.add("Mul", b.add("Exp", _half(b, deltas, 1)), size), b.scalar(0.5, kind))
    last = b.add("Add", moved, half)
    if offset:
        last = b.add("Sub", last, b.scalar(offset, kind))
    ctx.output(op, b.add("Concat", b.add("Sub", moved, half), last, axis=-1))


def _half(b: Builder, boxes: Tensor, part: int) -> Tensor:
    """The first or the second two numbers of each box."""
    return b.slice(boxes, [2 * part], [2 * part + 2], [-1])


def _center(b: Builder, boxes: Tensor, offset: float) -> tuple[Tensor, Tensor]:
    """The centres and sizes of boxes."""
    size = b.add("Sub", _half(b, boxes, 1), _half(b, boxes, 0))
    if offset:
        size = b.add("Add", size, b.scalar(offset, boxes.dtype))
    return b.add("Add", _half(b, boxes, 0), b.add("Mul", size, b.scalar(0.5, boxes.dtype))), size
