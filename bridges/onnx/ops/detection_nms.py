"""matrix_nms, multiclass_nms3, non_max_suppression → TopK, NonMaxSuppression, … (ONNX opset 21).

BBoxes float32[N, M, 4], Scores float32[N, C, M] with known C and M.  multiclass_nms3 takes nms_eta 1 and
normalized boxes; matrix_nms takes up to 2048 boxes per class.
"""

from __future__ import annotations

import numpy as np

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Builder, Tensor
from lite.emission.onnx.shape_inputs import require_dim
from lite.ir.types import DType
from lite.plugin.device import BridgeOp

_NEVER = -np.inf

_CANDIDATES = 2048
"""The largest number of boxes per class, whose overlaps are one tensor."""


@converts("matrix_nms")
def matrix_nms(op: BridgeOp, ctx: Context) -> None:
    """matrix_nms → TopK of each class, with scores that overlaps decay (Wang et al. 2020, SOLOv2)."""
    b, kind = ctx.builder, op["Scores"].dtype
    boxes, scores = ctx.input(op, "BBoxes"), _without_background(op, ctx)
    classes, count = require_dim(op["Scores"], 1, "Scores"), require_dim(op["Scores"], 2, "Scores")
    top_k = op.integer("nms_top_k")
    kept = count if top_k < 0 else min(top_k, count)
    if kept > _CANDIDATES:
        raise Declined(
            f"nms_top_k is {kept}, expected at most {_CANDIDATES}: the overlaps would be too large a tensor"
        )
    best, indices = b.add_all("TopK", [scores, b.ints(kept)], [kind, DType.INT64], axis=2)
    flat_indices = b.reshape(indices, 0, classes * kept)
    corners = _rows(b, boxes, flat_indices)
    decay = _decay(op, b, b.reshape(corners, 0, classes, kept, 4), kept)
    value = b.add("Mul", best, decay)
    above = b.add("Greater", best, b.scalar(op.real("score_threshold"), kind), dtype=DType.BOOL)
    left = b.add("Greater", value, b.scalar(op.real("post_threshold"), kind), dtype=DType.BOOL)
    alive = b.add("And", above, left)
    candidates = b.add("Where", alive, value, b.scalar(_NEVER, kind), dtype=kind)
    candidates = b.reshape(candidates, 0, classes * kept)
    keep = op.integer("keep_top_k")
    limit = classes * kept if keep < 0 else min(keep, classes * kept)
    top, at = b.add_all("TopK", [candidates, b.ints(limit)], [kind, DType.INT64], axis=1)
    box = b.add("GatherElements", flat_indices, at, axis=1)
    label = b.add("Div", at, b.scalar(kept, DType.INT64))
    _write_rows(op, ctx, boxes, top, label, box, "RoisNum")


@converts("multiclass_nms3")
def multiclass_nms(op: BridgeOp, ctx: Context) -> None:
    """multiclass_nms3 → NonMaxSuppression of each class, then TopK of each image, sorted by class."""
    b, kind = ctx.builder, op["Scores"].dtype
    if op["Scores"].rank != 3 or op["BBoxes"].dims[-1] != 4:
        raise Declined(
            f"BBoxes is {op['BBoxes']}; the host computes boxes that differ by class, and polygons"
        )
    if op.real("nms_eta") < 1.0 or not op.flag("normalized"):
        raise Declined("nms_eta is below 1 or normalized is false, which the host computes")
    boxes, scores = ctx.input(op, "BBoxes"), _without_background(op, ctx)
    classes, count = require_dim(op["Scores"], 1, "Scores"), require_dim(op["Scores"], 2, "Scores")
    top_k = op.integer("nms_top_k")
    no_scores = b.add("Expand", b.scalar(_NEVER, kind), b.sizes(scores))
    if 0 <= top_k < count:
        best, indices = b.add_all("TopK", [scores, b.ints(top_k)], [kind, DType.INT64], axis=2)
        scores = b.add("ScatterElements", no_scores, indices, best, axis=2)
    limits = (b.ints(count), *(b.array(np.array([op.real(name)], np.float32)) for name in _THRESHOLDS))
    selected = b.add("NonMaxSuppression", boxes, scores, *limits, dtype=DType.INT64)
    chosen = b.add("GatherND", scores, selected)
    candidates = b.reshape(b.add("ScatterND", no_scores, selected, chosen), 0, classes * count)
    keep = op.integer("keep_top_k")
    limit = classes * count if keep < 0 else min(keep, classes * count)
    top, at = b.add_all("TopK", [candidates, b.ints(limit)], [kind, DType.INT64], axis=1)
    # TopK sorts by score; these keys sort by class first, and by score within a class.
    size = b.scalar(count, DType.INT64)
    ranks = b.array(np.arange(limit, dtype=np.int64))
    keys = b.add("Add", b.add("Mul", b.add("Div", at, size), b.scalar(limit, DType.INT64)), ranks)
    order = b.add_all("TopK", [keys, b.ints(limit)], [DType.INT64, DType.INT64], axis=1, largest=0)[1]
    top, at = (b.add("GatherElements", each, order, axis=1) for each in (top, at))
    _write_rows(op, ctx, boxes, top, b.add("Div", at, size), b.add("Mod", at, size), "NmsRoisNum")


_THRESHOLDS = ("nms_threshold", "score_threshold")


def _without_background(op: BridgeOp, ctx: Context) -> Tensor:
    """The scores, with -∞ for the background class."""
    b, scores, label = ctx.builder, ctx.input(op, "Scores"), op.integer("background_label")
    classes = require_dim(op["Scores"], 1, "Scores")
    if not 0 <= label < classes:
        return scores
    is_background = b.array((np.arange(classes) == label)[:, None])
    return b.add("Where", is_background, b.scalar(_NEVER, scores.dtype), scores, dtype=scores.dtype)


def _rows(b: Builder, boxes: Tensor, indices: Tensor) -> Tensor:
    """The boxes float32[N, M, 4] at indices int64[N, P], as float32[N, P, 4]."""
    wide = b.add("Expand", b.unsqueeze(indices, 2), b.ints(1, 1, 4))
    return b.add("GatherElements", boxes, wide, axis=1)


def _decay(op: BridgeOp, b: Builder, boxes: Tensor, candidates: int) -> Tensor:
    """The factors float32[N, C, K] of the scores of boxes float32[N, C, K, 4]: the least over better ones."""
    kind = boxes.dtype
    one, lowest = b.scalar(1.0, kind), b.scalar(0.0, kind)
    overlap = b.add("Trilu", _overlaps(op, b, boxes), b.scalar(1, DType.INT64), upper=1)
    covered = b.unsqueeze(b.add("ReduceMax", overlap, b.ints(2), keepdims=0), 3)
    if op.flag("use_gaussian"):
        difference = b.add("Sub", b.add("Mul", covered, covered), b.add("Mul", overlap, overlap))
        factor = b.add("Exp", b.add("Mul", difference, b.scalar(op.real("gaussian_sigma"), kind)))
    else:
        rest = b.add("Sub", one, covered)
        partly = b.add("Greater", rest, lowest, dtype=DType.BOOL)
        safe = b.add("Where", partly, rest, one, dtype=kind)
        factor = b.add("Div", b.add("Sub", one, overlap), safe)
        factor = b.add("Where", partly, factor, one, dtype=kind)
    better = b.array(np.triu(np.ones((candidates, candidates), bool), 1))
    factor = b.add("Where", better, factor, one, dtype=kind)
    return b.add("Min", b.add("ReduceMin", factor, b.ints(2), keepdims=0), one)


def _overlaps(op: BridgeOp, b: Builder, boxes: Tensor) -> Tensor:
    """Intersection over union of all pairs; 0 for disjoint boxes."""
    kind = boxes.dtype
    zero = b.scalar(0.0, kind)
    offset = None if op.flag("normalized") else b.scalar(1.0, kind)
    starts, ends = (b.slice(boxes, [2 * n], [2 * n + 2], [-1]) for n in (0, 1))
    first, last = (
        b.add(name, b.unsqueeze(each, 3), b.unsqueeze(each, 2))
        for name, each in (("Max", starts), ("Min", ends))
    )
    reach = b.add("Sub", last, first)
    apart = b.add("Less", b.add("ReduceMin", reach, b.ints(-1), keepdims=0), zero, dtype=DType.BOOL)
    overlap = b.add(
        "ReduceProd", reach if offset is None else b.add("Add", reach, offset), b.ints(-1), keepdims=0
    )
    overlap = b.add("Where", apart, zero, overlap, dtype=kind)
    size = b.add("Sub", ends, starts)
    area = b.add("ReduceProd", size if offset is None else b.add("Add", size, offset), b.ints(-1), keepdims=0)
    empty = b.add("Less", b.add("ReduceMin", size, b.ints(-1), keepdims=0), zero, dtype=DType.BOOL)
    area = b.add("Where", empty, zero, area, dtype=kind)
    union = b.add("Sub", b.add("Add", b.unsqueeze(area, 3), b.unsqueeze(area, 2)), overlap)
    is_zero = b.add("Equal", union, zero, dtype=DType.BOOL)
    return b.add("Div", overlap, b.add("Where", is_zero, b.scalar(1.0, kind), union, dtype=kind))


def _write_rows(
    op: BridgeOp, ctx: Context, boxes: Tensor, score: Tensor, label: Tensor, box: Tensor, counts: str
) -> None:
    """Output rows (label, score, box) of the candidates [N, P] with a finite score, image by image."""
    b, kind, count = ctx.builder, boxes.dtype, require_dim(op["Scores"], 2, "Scores")
    alive = b.add("Greater", score, b.scalar(_NEVER, kind), dtype=DType.BOOL)
    columns = [b.unsqueeze(b.cast(label, kind), 2), b.unsqueeze(b.cast(score, kind), 2), _rows(b, boxes, box)]
    rows = b.reshape(b.add("Concat", *columns, axis=2), -1, 6)
    ctx.output(op, b.add("Compress", rows, b.flat(alive), axis=0), "Out")
    if op.node.outputs.get("Index"):
        images = b.add(
            "Range",
            b.scalar(0, DType.INT64),
            b.rank_0(b.size(boxes, 0)),
            b.scalar(1, DType.INT64),
        )
        first = b.unsqueeze(b.add("Mul", images, b.scalar(count, DType.INT64)), 1)
        index = b.reshape(b.add("Add", box, first), -1, 1)
        ctx.output(op, b.cast(b.add("Compress", index, b.flat(alive), axis=0), DType.INT32), "Index")
    if op.node.outputs.get(counts):
        total = b.add("ReduceSum", b.cast(alive, DType.INT32), b.ints(1), keepdims=0)
        ctx.output(op, total, counts)


@converts("non_max_suppression")
def non_max_suppression(op: BridgeOp, ctx: Context) -> None:
    """non_max_suppression → NonMaxSuppression."""
    slots = ("MaxOutputBoxesPerClass", "IouThreshold", "ScoreThreshold")
    kinds = (DType.INT64, DType.FLOAT32, DType.FLOAT32)
    b = ctx.builder
    tensors = [ctx.optional(op, slot) for slot in slots]
    limits = [None if t is None else b.flat(b.cast(t, kind)) for t, kind in zip(tensors, kinds, strict=True)]
    result = b.add(
        "NonMaxSuppression",
        ctx.input(op, "Boxes"),
        ctx.input(op, "Scores"),
        *limits,
        dtype=DType.INT64,
        center_point_box=op.integer("center_point_box"),
    )
    ctx.output(op, result)
