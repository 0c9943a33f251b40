"""Boxes: where detectors put them, and what lies in them."""

from __future__ import annotations

import math

import numpy as np

from lite.bridges.onnxruntime.bridging import Context, converts
from lite.bridges.onnxruntime.builder import Builder, Tensor
from lite.bridges.onnxruntime.ops.sizes import known_dims
from lite.errors import CompileError
from lite.ir.types import Array, DType
from lite.ops.view import Meta
from lite.plugin.device import BridgeOp
from lite.plugin.kernel import evaluate

_NEEDS = {
    "prior_box": ("Input", "Image"),
    "density_prior_box": ("Input", "Image"),
    "anchor_generator": ("Input",),
}
_MAKES = {
    "prior_box": ("Boxes", "Variances"),
    "density_prior_box": ("Boxes", "Variances"),
    "anchor_generator": ("Anchors", "Variances"),
}


@converts("prior_box", "density_prior_box", "anchor_generator")
def default_boxes(op: BridgeOp, ctx: Context) -> None:
    """Constants: these boxes depend on the sizes of the inputs only."""
    given = {}
    for slot in _NEEDS[op.op]:
        dims = known_dims(op[slot], slot)
        given[slot] = [np.broadcast_to(np.zeros((), op[slot].dtype.numpy), dims)]
    results = evaluate(op.op, given, op.node.attrs, dict.fromkeys(_MAKES[op.op], 1))
    for slot in _MAKES[op.op]:
        made = ctx.builder.array(results[slot][0].array)
        ctx.output(op, ctx.builder.add("Identity", made), slot)


@converts("yolo_box")
def yolo_box(op: BridgeOp, ctx: Context) -> None:
    """Boxes (x1, y1, x2, y2) in pixels and their scores, zeros where confidence is below the threshold."""
    b, x = ctx.builder, ctx.input(op, "X")
    height, width = known_dims(Meta(op["X"].dtype, op["X"].dims[2:]), "the grid")
    classes, anchors = op.integer("class_num"), np.array(op.integers("anchors"), x.dtype.numpy).reshape(-1, 2)
    count, kind = len(anchors), x.dtype
    head = b.cut(x, [count], [2**31], [1]) if op.flag("iou_aware") else x
    head = b.reshape(head, 0, count, 5 + classes, height, width)
    confidence = b.add("Sigmoid", b.cut(head, [4], [5], [2]))
    if op.flag("iou_aware"):
        iou = b.add("Sigmoid", b.reshape(b.cut(x, [0], [count], [1]), 0, count, 1, height, width))
        factor = op.real("iou_aware_factor")
        shares = [b.add("Pow", t, b.scalar(p, kind)) for t, p in ((confidence, 1 - factor), (iou, factor))]
        confidence = b.add("Mul", *shares)
    image = b.cut(b.cast(ctx.input(op, "ImgSize"), kind), [1], [-(2**31)], [1], [-1])
    image = b.reshape(image, -1, 1, 2, 1, 1)
    grid = np.array([width, height], kind.numpy).reshape(2, 1, 1)
    cells = np.stack(np.meshgrid(np.arange(width), np.arange(height))).astype(kind.numpy)
    spread = op.real("scale_x_y")
    centers = b.add("Mul", b.add("Sigmoid", b.cut(head, [0], [2], [2])), b.scalar(spread, kind))
    centers = b.add("Add", centers, b.array(cells - kind.numpy.type(0.5 * (spread - 1))))
    centers = b.add("Mul", centers, b.add("Div", image, b.array(grid)))
    sizes = (anchors[:, :, None, None] / (2 * op.integer("downsample_ratio") * grid)).astype(kind.numpy)
    halves = b.add("Mul", b.add("Exp", b.cut(head, [2], [4], [2])), b.array(sizes))
    halves = b.add("Mul", halves, image)
    first, second = b.add("Sub", centers, halves), b.add("Add", centers, halves)
    if op.flag("clip_bbox"):
        first = b.add("Max", first, b.scalar(0.0, kind))
        second = b.add("Min", second, b.add("Sub", image, b.scalar(1.0, kind)))
    kept = b.add("GreaterOrEqual", confidence, b.scalar(op.real("conf_thresh"), kind), dtype=DType.BOOL)
    scores = b.add("Mul", b.add("Sigmoid", b.cut(head, [5], [2**31], [2])), confidence)
    boxes = b.add("Concat", first, second, axis=2)
    for slot, tensor, last in (("Boxes", boxes, 4), ("Scores", scores, classes)):
        masked = b.add("Where", kept, tensor, b.scalar(0.0, kind), dtype=kind)
        rows = b.transpose(masked, [0, 1, 3, 4, 2])
        ctx.output(op, b.reshape(rows, 0, count * height * width, last), slot)


@converts("box_coder")
def box_coder(op: BridgeOp, ctx: Context) -> None:
    """Offsets of targets from priors, or targets from offsets."""
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
    """The first or last two numbers of boxes."""
    return b.cut(boxes, [2 * part], [2 * part + 2], [-1])


def _center(b: Builder, boxes: Tensor, offset: float) -> tuple[Tensor, Tensor]:
    """Centres and sizes."""
    size = b.add("Sub", _half(b, boxes, 1), _half(b, boxes, 0))
    if offset:
        size = b.add("Add", size, b.scalar(offset, boxes.dtype))
    return b.add("Add", _half(b, boxes, 0), b.add("Mul", size, b.scalar(0.5, boxes.dtype))), size


@converts("roi_align")
def roi_align(op: BridgeOp, ctx: Context) -> None:
    """RoiAlign; which image a box lies in follows from how many each image has."""
    b, counts = ctx.builder, ctx.optional(op, "RoisNum")
    if counts is None:
        raise CompileError("which image a box lies in is said by a LoD")
    boxes = ctx.input(op, "ROIs")
    ends = b.add("CumSum", b.cast(counts, DType.INT64), b.scalar(0, DType.INT64))
    number = b.add("Reshape", b.size(boxes, 0), b.ints())
    rows = b.add("Range", b.scalar(0, DType.INT64), number, b.scalar(1, DType.INT64))
    behind = b.add("GreaterOrEqual", b.unsqueeze(rows, 1), ends, dtype=DType.BOOL)
    images = b.add("ReduceSum", b.cast(behind, DType.INT64), b.ints(1), keepdims=0)
    ctx.output(op, _aligned(op, ctx, boxes, images, "avg", max(op.integer("sampling_ratio"), 0)))


@converts("roi_align_indexed")
def roi_align_indexed(op: BridgeOp, ctx: Context) -> None:
    """RoiAlign."""
    images = ctx.builder.cast(ctx.input(op, "Images"), DType.INT64)
    kind = op.text("pooling_type")
    ctx.output(op, _aligned(op, ctx, ctx.input(op, "ROIs"), images, kind, op.integer("sampling_ratio")))


def _aligned(op: BridgeOp, ctx: Context, boxes: Tensor, images: Tensor, mode: str, samples: int) -> Tensor:
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
    """MaxRoiPool."""
    result = ctx.builder.add(
        "MaxRoiPool",
        ctx.input(op, "X"),
        ctx.input(op, "ROIs"),
        pooled_shape=op.integers("pooled_shape"),
        spatial_scale=op.real("spatial_scale"),
    )
    ctx.output(op, result)


@converts("non_max_suppression")
def non_max_suppression(op: BridgeOp, ctx: Context) -> None:
    """NonMaxSuppression."""
    slots = ("MaxOutputBoxesPerClass", "IouThreshold", "ScoreThreshold")
    kinds = (DType.INT64, DType.FLOAT32, DType.FLOAT32)
    b = ctx.builder
    given = [ctx.optional(op, slot) for slot in slots]
    limits = [None if t is None else b.flat(b.cast(t, kind)) for t, kind in zip(given, kinds, strict=True)]
    result = b.add(
        "NonMaxSuppression",
        ctx.input(op, "Boxes"),
        ctx.input(op, "Scores"),
        *limits,
        dtype=DType.INT64,
        center_point_box=op.integer("center_point_box"),
    )
    ctx.output(op, result)


@converts("unfold")
def unfold(op: BridgeOp, ctx: Context) -> None:
    """Every window as a column: a convolution of each channel with filters of a single one."""
    b, x = ctx.builder, ctx.input(op, "X")
    channels = op["X"].dims[1]
    if not isinstance(channels, int):
        raise CompileError(f"the number of channels must be known, got {op['X']}")
    kernel, paddings = op.integers("kernel_sizes"), op.integers("paddings")
    taps = math.prod(kernel)
    filters: Array = np.eye(taps, dtype=x.dtype.numpy).reshape(taps, 1, *kernel)
    pads = paddings * 2 if len(paddings) == 2 else paddings
    columns = b.add(
        "Conv",
        x,
        b.array(np.tile(filters, (channels, 1, 1, 1))),
        group=channels,
        kernel_shape=kernel,
        strides=op.integers("strides"),
        dilations=op.integers("dilations"),
        pads=pads,
    )
    ctx.output(op, b.reshape(columns, 0, channels * taps, -1))
