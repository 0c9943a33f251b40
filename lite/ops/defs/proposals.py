"""Selection of boxes by score and overlap, region proposals, and regions cut out of feature maps."""

from __future__ import annotations

from lite.ir.program import AttrType
from lite.ir.types import UNKNOWN, DType
from lite.ops.attrs import Attr, number, required
from lite.ops.rules import apply
from lite.ops.schema import LOD_BY_KERNEL, op
from lite.ops.view import Inferred, Meta, OpView


def _check_scores(op: OpView, boxes: Meta) -> None:
    """Scores ``[images, classes, boxes]`` are those of all boxes ``[at least images, boxes, …]``.

    Paddle reads no boxes of images without scores.
    """
    scores = op["Scores"]
    if scores.rank != 3:
        return
    (most, count), (images, _, scored) = boxes.dims[:2], scores.dims
    too_many = isinstance(most, int) and isinstance(images, int) and images > most
    if too_many or (isinstance(count, int) and isinstance(scored, int) and scored != count):
        raise op.error("slot Scores", f"[at most {most},classes,{count}]", scores)


def _chosen(op: OpView) -> Inferred:
    """Rows of label, score and box; their number is known after the run."""
    boxes, scores = op["BBoxes"], op["Scores"]
    _check_scores(op, boxes)
    rois = op.get("RoisNum")
    images = scores.dims[:1] if scores.rank == 3 else rois.dims if rois is not None else (UNKNOWN,)
    width = apply(boxes.dims[-1], lambda size: size + 2)
    counts = Meta(DType.INT32, images)
    return {
        "Out": Meta(boxes.dtype, (UNKNOWN, width)),
        "Index": Meta(DType.INT32, (UNKNOWN, 1)),
        "RoisNum": counts,
        "NmsRoisNum": counts,
    }


def _chosen_or_none(op: OpView) -> Inferred:
    """Like the newer ops, but the single element -1 where no box is chosen."""
    _check_scores(op, op["BBoxes"])
    return Meta(op["BBoxes"].dtype, (UNKNOWN, UNKNOWN))


def _retinanet(op: OpView) -> Inferred:
    return Meta(op.all("Scores")[0].dtype, (UNKNOWN, 6))


_GREEDY: dict[str, int | float | bool | Attr] = {
    "background_label": 0,
    "score_threshold": 0.0,
    "nms_top_k": number(-1, low=-1),
    "nms_threshold": 0.3,
    "nms_eta": 1.0,
    "keep_top_k": number(-1, low=-1),
    "normalized": True,
}

op(
    "matrix_nms",
    "Matrix non-maximum suppression: decays the scores of overlapping boxes.",
    "BBoxes:float/3 Scores:float/3",
    "Out Index? RoisNum?",
    _chosen,
    attrs={
        "background_label": 0,
        "score_threshold": 0.0,
        "post_threshold": 0.0,
        "nms_top_k": number(-1, low=-1),
        "keep_top_k": number(-1, low=-1),
        "normalized": True,
        "use_gaussian": False,
        "gaussian_sigma": 2.0,
    },
    sized_by_run=True,
)
op(
    "multiclass_nms",
    "Non-maximum suppression per class; a single -1 where no box is kept.",
    "BBoxes:float/3 Scores:float/2-3",
    "Out",
    _chosen_or_none,
    attrs=_GREEDY,
    lod=LOD_BY_KERNEL,
)
op(
    "multiclass_nms2",
    "Non-maximum suppression per class, with the indices of the kept boxes.",
    "BBoxes:float/3 Scores:float/2-3",
    "Out Index?",
    _chosen,
    attrs=_GREEDY,
    lod=LOD_BY_KERNEL,
)
op(
    "multiclass_nms3",
    "Non-maximum suppression per class, with counts per image instead of LoD.",
    "BBoxes:float/3 Scores:float/2-3 RoisNum?:int32/1",
    "Out Index? NmsRoisNum?",
    _chosen,
    attrs=_GREEDY,
    sized_by_run=True,
)
op(
    "retinanet_detection_output",
    "Boxes of RetinaNet: decoding of several levels, then non-maximum suppression.",
    "BBoxes*:float/3 Scores*:float/3 Anchors*:float/2 ImInfo:float/2",
    "Out",
    _retinanet,
    attrs={
        "score_threshold": 0.05,
        "nms_top_k": number(1000, low=-1),
        "nms_threshold": 0.3,
        "nms_eta": 1.0,
        "keep_top_k": number(100, low=-1),
    },
    lod=LOD_BY_KERNEL,
)


def _selected(op: OpView) -> Meta:
    _check_scores(op, op["Boxes"])
    return Meta(DType.INT64, (UNKNOWN, 3))


op(
    "non_max_suppression",
    "Indices of the boxes kept per class, after ONNX NonMaxSuppression.",
    "Boxes:float/3 Scores:float/3 MaxOutputBoxesPerClass?:int IouThreshold?:float ScoreThreshold?:float",
    "Out",
    _selected,
    attrs={"center_point_box": number(0, 0, 1)},
)


def _selected_to_limit(op: OpView) -> Inferred:
    """Indices and scores [m] and the number of those chosen; m is known where it is a constant."""
    scores, limit = op["Scores"], op.values("MaxOutputSize")
    count = limit[0] if limit else UNKNOWN
    return {
        "Out": Meta(DType.INT32, (count,)),
        "KeptScores": Meta(scores.dtype, (count,)),
        "Count": Meta(DType.INT32, ()),
    }


op(
    "soft_non_max_suppression",
    "Boxes chosen by falling score, which overlaps may lower, after TensorFlow NonMaxSuppressionV5.",
    "Boxes:float/2 Scores:float/1 MaxOutputSize:int IouThreshold:float ScoreThreshold:float Sigma?:float",
    "Out KeptScores? Count?",
    _selected_to_limit,
)


def _proposals(op: OpView) -> Inferred:
    """RpnRois [n, 4], RpnRoiProbs [n, 1] and RpnRoisNum [N]; n is known after the run."""
    scores = op["Scores"]
    return {
        "RpnRois": Meta(scores.dtype, (UNKNOWN, 4)),
        "RpnRoiProbs": Meta(scores.dtype, (UNKNOWN, 1)),
        "RpnRoisNum": Meta(DType.INT32, scores.dims[:1]),
    }


def _distribute(op: OpView) -> Inferred:
    """Per level rois [n, 4] and their numbers per image; RestoreIndex [n, 1]."""
    rois, counts = op["FpnRois"], op.get("RoisNum")
    levels = op.integer("max_level") - op.integer("min_level") + 1
    return {
        "MultiFpnRois": [Meta(rois.dtype, (UNKNOWN, 4))] * levels,
        "RestoreIndex": Meta(DType.INT32, (rois.dims[0], 1)),
        "MultiLevelRoIsNum": [Meta(DType.INT32, (UNKNOWN,) if counts is None else counts.dims)] * levels,
    }


def _collect(op: OpView) -> Inferred:
    rois, counts = op.all("MultiLevelRois")[0], op.all("MultiLevelRoIsNum")
    images = counts[0].dims if counts else (UNKNOWN,)
    return {"FpnRois": Meta(rois.dtype, (UNKNOWN, 4)), "RoisNum": Meta(DType.INT32, images)}


def _roi_align(op: OpView) -> Inferred:
    """X [N, C, H, W] and ROIs [n, 4] → [n, C, pooled height, pooled width]."""
    x, rois = op["X"], op["ROIs"]
    pooled = (op.integer("pooled_height"), op.integer("pooled_width"))
    return Meta(x.dtype, (rois.dims[0], x.dims[1], *pooled))


def _roi_perspective_transform(op: OpView) -> Inferred:
    """X [N, C, H, W] and quadrangles ROIs [n, 8] → [n, C, height, width]."""
    x, count = op["X"], op["ROIs"].dims[0]
    size = (op.integer("transformed_height"), op.integer("transformed_width"))
    return {
        "Out": Meta(x.dtype, (count, x.dims[1], *size)),
        "Mask": Meta(DType.INT32, (count, 1, *size)),
        "TransformMatrix": Meta(x.dtype, (count, 9)),
    }


_CHOICE = {
    "pre_nms_topN": 6000,
    "post_nms_topN": 1000,
    "nms_thresh": 0.5,
    "min_size": 0.1,
    "eta": 1.0,
}

op(
    "generate_proposals",
    "Region proposals of Faster R-CNN from scores and box offsets.",
    "Scores:float/4 BboxDeltas:float/4 ImInfo:float Anchors:float Variances:float",
    "RpnRois RpnRoiProbs RpnRoisNum?",
    _proposals,
    attrs=_CHOICE,
    lod=LOD_BY_KERNEL,
)
op(
    "generate_proposals_v2",
    "Region proposals of Faster R-CNN, with counts per image instead of LoD.",
    "Scores:float/4 BboxDeltas:float/4 ImShape:float/2 Anchors:float Variances:float",
    "RpnRois RpnRoiProbs RpnRoisNum?",
    _proposals,
    attrs={**_CHOICE, "pixel_offset": True},
)
op(
    "distribute_fpn_proposals",
    "Assigns proposals to the levels of a feature pyramid by their size.",
    "FpnRois:float/2 RoisNum?:int32/1",
    "MultiFpnRois* RestoreIndex MultiLevelRoIsNum?*",
    _distribute,
    attrs={
        "min_level": required(AttrType.INT),
        "max_level": required(AttrType.INT),
        "refer_level": required(AttrType.INT),
        "refer_scale": required(AttrType.INT),
        "pixel_offset": True,
    },
    lod=LOD_BY_KERNEL,
)
op(
    "collect_fpn_proposals",
    "The best proposals of all levels of a feature pyramid.",
    "MultiLevelRois*:float/2 MultiLevelScores*:float/1-2 MultiLevelRoIsNum?*:int32/1",
    "FpnRois RoisNum?",
    _collect,
    attrs={"post_nms_topN": required(AttrType.INT)},
    lod=LOD_BY_KERNEL,
)
op(
    "roi_align",
    "Region of interest align: bilinear samples of each region, averaged per bin.",
    "X:float/4 ROIs:float/2 RoisNum?:int32/1",
    "Out",
    _roi_align,
    attrs={
        "spatial_scale": 1.0,
        "pooled_height": number(1, low=1),
        "pooled_width": number(1, low=1),
        "sampling_ratio": -1,
        "aligned": False,
    },
    lod=LOD_BY_KERNEL,
)
op(
    "roi_perspective_transform",
    "Warps quadrangles of a feature map to rectangles.",
    "X:float/4 ROIs:float/2",
    "Out Mask? TransformMatrix? Out2InIdx? Out2InWeights?",
    _roi_perspective_transform,
    attrs={
        "spatial_scale": 1.0,
        "transformed_height": number(1, low=1),
        "transformed_width": number(1, low=1),
    },
    lod=LOD_BY_KERNEL,
)
