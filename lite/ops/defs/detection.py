"""Anchor and prior boxes, transformations of boxes, and the boxes of YOLO heads."""

from __future__ import annotations

from lite.ir.types import Dim
from lite.ops.attrs import Attr, choice, floats, ints, number
from lite.ops.prior_ratios import expanded_ratios
from lite.ops.rules import same_as, total
from lite.ops.schema import LOD_BY_KERNEL, op
from lite.ops.view import Inferred, Meta, OpView


def _grid(op: OpView, boxes: str, count: int, flat: bool = False) -> Inferred:
    """`count` boxes at each cell of Input [N, C, H, W]: [H, W, count, 4], or [H * W * count, 4]."""
    x = op["Input"]
    _, _, height, width = x.dims
    shape: tuple[Dim, ...] = (height, width, count, 4)
    if flat:
        shape = (total((height, width, count)), 4)
    return {boxes: Meta(x.dtype, shape), "Variances": Meta(x.dtype, shape)}


def _prior_box(op: OpView) -> Inferred:
    ratios = expanded_ratios(op.reals("aspect_ratios"), op.flag("flip"))
    least, most = len(op.reals("min_sizes")), len(op.reals("max_sizes"))
    if most not in (0, least):
        raise op.error("attribute max_sizes", f"one for each of {least} min_sizes, or none", most)
    return _grid(op, "Boxes", len(ratios) * least + most)


def _density_prior_box(op: OpView) -> Inferred:
    densities = op.integers("densities")
    if len(densities) != len(op.reals("fixed_sizes")):
        raise op.error("attribute densities", "one for each of fixed_sizes", densities)
    count = len(op.reals("fixed_ratios")) * sum(density**2 for density in densities)
    return _grid(op, "Boxes", count, op.flag("flatten_to_2d"))


def _anchor_generator(op: OpView) -> Inferred:
    return _grid(op, "Anchors", len(op.reals("anchor_sizes")) * len(op.reals("aspect_ratios")))


def _box_coder(op: OpView) -> Inferred:
    """Encoding N targets against M priors, and decoding [N, M, 4], give [N, M, 4]."""
    prior, target = op["PriorBox"], op["TargetBox"]
    if op.text("code_type") == "decode_center_size":
        if target.rank != 3:
            raise op.error("slot TargetBox", "rank 3", target)
        return Meta(target.dtype, target.dims)
    return Meta(target.dtype, (target.dims[0], prior.dims[0], 4))


_VARIANCES = floats(0.1, 0.1, 0.2, 0.2)
_STEPS: dict[str, float | Attr] = {"step_w": number(0.0, low=0), "step_h": number(0.0, low=0), "offset": 0.5}

op(
    "prior_box",
    "Prior boxes of SSD: several sizes and ratios at each cell of a feature map.",
    "Input:float/4 Image:any/4",
    "Boxes Variances",
    _prior_box,
    attrs={
        "min_sizes": floats(),
        "max_sizes": floats(),
        "aspect_ratios": floats(),
        "variances": _VARIANCES,
        "flip": True,
        "clip": True,
        "min_max_aspect_ratios_order": False,
        **_STEPS,
    },
)
op(
    "density_prior_box",
    "Prior boxes at several densities for each cell of a feature map.",
    "Input:float/4 Image:any/4",
    "Boxes Variances",
    _density_prior_box,
    attrs={
        "fixed_sizes": floats(),
        "fixed_ratios": floats(),
        "densities": ints(),
        "variances": _VARIANCES,
        "clip": True,
        "flatten_to_2d": False,
        **_STEPS,
    },
)
op(
    "anchor_generator",
    "Anchor boxes of Faster R-CNN at each cell of a feature map.",
    "Input:float/4",
    "Anchors Variances",
    _anchor_generator,
    attrs={
        "anchor_sizes": floats(),
        "aspect_ratios": floats(),
        "variances": _VARIANCES,
        "stride": floats(16.0, 16.0),
        "offset": 0.5,
    },
)
op(
    "box_coder",
    "Encodes boxes as offsets from prior boxes, or decodes them.",
    "PriorBox:float/2 PriorBoxVar?:float/1-2 TargetBox:float/2-3",
    "OutputBox",
    _box_coder,
    attrs={
        "code_type": choice("encode_center_size", "decode_center_size"),
        "box_normalized": True,
        "axis": number(0, 0, 1),
        "variance": floats(),
    },
    lod="TargetBox",
)
op(
    "box_clip",
    "Clips boxes to the borders of their image.",
    "Input:float/2- ImInfo:float/2",
    "Output",
    same_as("Input"),
    lod=LOD_BY_KERNEL,
)
op(
    "decode_bboxes",
    "Boxes from prior boxes and predicted offsets.",
    "Loc:float/2 Prior:float/3",
    "Bbox",
    same_as("Loc"),
    attrs={
        "batch_num": 1,
        "num_priors": 0,
        "num_loc_classes": 1,
        "background_label_id": 0,
        "share_location": True,
        "variance_encoded_in_target": False,
        "code_type": choice("corner", "center_size", "corner_size"),
    },
)
op(
    "polygon_box_transform",
    "Corner coordinates from the offsets that a text detector predicts.",
    "Input:float/4",
    "Output",
    same_as("Input"),
)


def _yolo_box(op: OpView) -> Inferred:
    """X [N, A * (5 + classes), H, W] → Boxes [N, A * H * W, 4] and Scores [N, A * H * W, classes].

    With iou_aware, X starts with A more channels.
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
    "Boxes and scores from the feature map of a YOLO head.",
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
