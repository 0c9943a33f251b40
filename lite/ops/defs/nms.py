"""Choosing boxes by score and overlap: the ops behind detection heads."""

from lite.ir.types import UNKNOWN, DType
from lite.ops.rules import apply
from lite.ops.schema import LOD_BY_KERNEL, Attr, number, op
from lite.ops.view import Inferred, Meta, OpView


def _chosen(op: OpView) -> Inferred:
    """Rows of label, score and box; how many there are is only known after the run."""
    boxes, scores = op["BBoxes"], op["Scores"]
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
    """As the newer ops, but the single element -1 where nothing is chosen."""
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
    "BBoxes:float/3 Scores:float/2-3",
    "Out",
    _chosen_or_none,
    attrs=_GREEDY,
    lod=LOD_BY_KERNEL,
)
op(
    "multiclass_nms2",
    "BBoxes:float/3 Scores:float/2-3",
    "Out Index?",
    _chosen,
    attrs=_GREEDY,
    lod=LOD_BY_KERNEL,
)
op(
    "multiclass_nms3",
    "BBoxes:float/3 Scores:float/2-3 RoisNum?:int32/1",
    "Out Index? NmsRoisNum?",
    _chosen,
    attrs=_GREEDY,
    sized_by_run=True,
)
op(
    "retinanet_detection_output",
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
