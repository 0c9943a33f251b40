"""Pooling of regions, suppression of sorted boxes, and the last op of TensorFlow Lite's detectors."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, DType
from lite.ops.attrs import Attr, number
from lite.ops.schema import op
from lite.ops.view import Inferred, Meta, OpView


def _roi_pool(op: OpView) -> Inferred:
    x, pooled = op["X"], (op.integer("pooled_height"), op.integer("pooled_width"))
    shape = (op["ROIs"].dims[0], x.dims[1], *pooled)
    return {"Out": Meta(x.dtype, shape), "Argmax": Meta(DType.INT64, shape)}


def _psroi_pool(op: OpView) -> Meta:
    x, rows, columns = op["X"], op.integer("pooled_height"), op.integer("pooled_width")
    count = op.integer("output_channels")
    if isinstance(x.dims[1], int) and x.dims[1] != count * rows * columns:
        raise op.error("slot X", f"{count * rows * columns} channels", x)
    return Meta(x.dtype, (op["ROIs"].dims[0], count, rows, columns))


def _nms(_: OpView) -> Meta:
    return Meta(DType.INT64, (UNKNOWN,))


def _is_outside(meta: Meta, axis: int, least: int, most: int | None = None) -> bool:
    """Whether a size is known and not between two others."""
    size = meta.dims[axis] if meta.shape is not None else UNKNOWN
    return isinstance(size, int) and (size < least or (most is not None and size > most))


def _detections(op: OpView) -> Inferred:
    """Boxes [1, n, 4], classes [1, n], scores [1, n] and their count [1]; n is the most detections."""
    scores, boxes, anchors = op["Scores"], op["Boxes"], op["Anchors"]
    classes = op.integer("num_classes")
    if _is_outside(scores, 0, 1, 1) or _is_outside(scores, 2, classes, classes + 1):
        raise op.error("slot Scores", f"[1,boxes,{classes} or {classes + 1}]", scores)
    if _is_outside(boxes, 0, 1, 1) or _is_outside(boxes, 2, 4):
        raise op.error("slot Boxes", "[1,boxes,at least 4]", boxes)
    if _is_outside(anchors, 1, 4, 4):
        raise op.error("slot Anchors", "[boxes,4]", anchors)
    count = op.integer("max_detections") * op.integer("max_classes_per_detection")
    return {
        "Out": Meta(DType.FLOAT32, (1, count, 4)),
        "Classes": Meta(DType.FLOAT32, (1, count)),
        "KeptScores": Meta(DType.FLOAT32, (1, count)),
        "Count": Meta(DType.FLOAT32, (1,)),
    }


_POOLED: dict[str, AttrValue | Attr] = {
    "pooled_height": number(1, 1),
    "pooled_width": number(1, 1),
    "spatial_scale": 1.0,
}
_SLOTS = "X:float/4 ROIs:float/2 RoisNum:int32/1"

op("roi_pool", "Maxima of the bins of each region.", _SLOTS, "Out Argmax?", _roi_pool, attrs=_POOLED)
op(
    "psroi_pool",
    "Averages of the bins of each region, each from channels of its own.",
    _SLOTS,
    "Out",
    _psroi_pool,
    attrs={**_POOLED, "output_channels": number(1, 1)},
)
op(
    "nms",
    "Indices of boxes, best first, that no better one covers.",
    "Boxes:float/2",
    "KeepBoxesIdxs",
    _nms,
    attrs={"iou_threshold": 1.0},
)
op(
    "detection_postprocess",
    "Decodes boxes around anchors and keeps the best, after TFLite_Detection_PostProcess.",
    "Boxes:float32/3 Scores:float32/3 Anchors:float32/2",
    "Out Classes KeptScores Count",
    _detections,
    attrs={
        "max_detections": number(0, 0, 1 << 20),
        "max_classes_per_detection": number(1, 1, 1 << 10),
        "detections_per_class": number(100, low=1),
        "use_regular_nms": False,
        "nms_score_threshold": 0.0,
        "nms_iou_threshold": 0.5,
        "num_classes": number(1, low=1),
        "y_scale": 1.0,
        "x_scale": 1.0,
        "h_scale": 1.0,
        "w_scale": 1.0,
    },
)
