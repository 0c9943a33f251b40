"""Region proposals and what is cut out for them from feature maps."""

from lite.ir.program import AttrType
from lite.ir.types import UNKNOWN, DType
from lite.ops.schema import LOD_BY_KERNEL, number, op, required
from lite.ops.view import Inferred, Meta, OpView


def _proposals(op: OpView) -> Inferred:
    """RpnRois [n, 4], RpnRoiProbs [n, 1] and RpnRoisNum [N], n being known after the run."""
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
    "Scores:float/4 BboxDeltas:float/4 ImInfo:float Anchors:float Variances:float",
    "RpnRois RpnRoiProbs RpnRoisNum?",
    _proposals,
    attrs=_CHOICE,
    lod=LOD_BY_KERNEL,
)
op(
    "generate_proposals_v2",
    "Scores:float/4 BboxDeltas:float/4 ImShape:float/2 Anchors:float Variances:float",
    "RpnRois RpnRoiProbs RpnRoisNum?",
    _proposals,
    attrs={**_CHOICE, "pixel_offset": True},
)
op(
    "distribute_fpn_proposals",
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
    "MultiLevelRois*:float/2 MultiLevelScores*:float/1-2 MultiLevelRoIsNum?*:int32/1",
    "FpnRois RoisNum?",
    _collect,
    attrs={"post_nms_topN": required(AttrType.INT)},
    lod=LOD_BY_KERNEL,
)
op(
    "roi_align",
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
