"""Non-maximum suppression: choosing boxes by score and overlap."""

from lite.ir.types import UNKNOWN, DType
from lite.ops.rules import apply
from lite.ops.schema import op
from lite.ops.view import Inferred, Meta, OpView


def _chosen(op: OpView) -> Inferred:
    """Rows of label, score and box; how many there are is only known after the run."""
    boxes, scores = op["BBoxes"], op["Scores"]
    width = apply(boxes.dims[-1], lambda size: size + 2)
    return {
        "Out": Meta(boxes.dtype, (UNKNOWN, width)),
        "Index": Meta(DType.INT32, (UNKNOWN, 1)),
        "RoisNum": Meta(DType.INT32, scores.dims[:1]),
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
        "nms_top_k": -1,
        "keep_top_k": -1,
        "normalized": True,
        "use_gaussian": False,
        "gaussian_sigma": 2.0,
    },
)
