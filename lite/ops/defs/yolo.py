"""Boxes from the feature maps of YOLO heads."""

from lite.ops.rules import total
from lite.ops.schema import ints, op
from lite.ops.view import Inferred, Meta, OpView


def _yolo_box(op: OpView) -> Inferred:
    """X [N, A * (5 + classes), H, W] → Boxes [N, A * H * W, 4] and Scores [N, A * H * W, classes].

    With iou_aware, X has A more channels, in front.
    """
    x = op["X"]
    batch, channels, height, width = x.dims
    anchors, classes = len(op.integers("anchors")) // 2, op.integer("class_num")
    expected = anchors * (classes + (6 if op.flag("iou_aware") else 5))
    if isinstance(channels, int) and channels != expected:
        raise op.error("slot X", f"{expected} channels for {anchors} anchors and {classes} classes", x)
    count = total((anchors, height, width))
    return {"Boxes": Meta(x.dtype, (batch, count, 4)), "Scores": Meta(x.dtype, (batch, count, classes))}


op(
    "yolo_box",
    "X:float/4 ImgSize:int32/2",
    "Boxes Scores",
    _yolo_box,
    attrs={
        "class_num": 1,
        "anchors": ints(),
        "downsample_ratio": 32,
        "conf_thresh": 0.01,
        "clip_bbox": True,
        "scale_x_y": 1.0,
        "iou_aware": False,
        "iou_aware_factor": 0.5,
    },
)
