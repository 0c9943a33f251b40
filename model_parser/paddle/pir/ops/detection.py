"""Detection: prior boxes, decoding and non-maximum suppression."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.paddle.pir.block_writer import BlockWriter, Operand
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops, read_row

_NMS = "score_threshold nms_top_k keep_top_k background_label normalized"

pir_ops(
    {
        "anchor_generator": "anchor_generator Input -> Anchors Variances | "
        "anchor_sizes aspect_ratios variances stride offset",
        "box_clip": "box_clip Input ImInfo -> Output",
        "box_coder": "box_coder PriorBox PriorBoxVar TargetBox -> OutputBox | "
        "code_type box_normalized axis variance",
        "collect_fpn_proposals": "collect_fpn_proposals MultiLevelRois MultiLevelScores MultiLevelRoIsNum -> "
        "FpnRois RoisNum | post_nms_topn=post_nms_topN",
        "generate_proposals": "generate_proposals_v2 Scores BboxDeltas ImShape Anchors Variances -> "
        "RpnRois RpnRoiProbs RpnRoisNum | pre_nms_top_n=pre_nms_topN post_nms_top_n=post_nms_topN nms_thresh "
        "min_size eta pixel_offset",
        "matrix_nms": "matrix_nms BBoxes Scores -> Out Index RoisNum | "
        f"{_NMS} post_threshold use_gaussian gaussian_sigma",
        "multiclass_nms3": "multiclass_nms3 BBoxes Scores RoisNum -> Out Index NmsRoisNum | "
        f"{_NMS} nms_threshold nms_eta",
        "nms": "nms Boxes -> KeepBoxesIdxs | threshold=iou_threshold",
        "prior_box": "prior_box Input Image -> Boxes Variances | min_sizes max_sizes aspect_ratios variances "
        "flip clip step_w step_h offset min_max_aspect_ratios_order",
        "yolo_box": "yolo_box X ImgSize -> Boxes Scores | anchors class_num conf_thresh downsample_ratio "
        "clip_bbox scale_x_y iou_aware iou_aware_factor",
    }
)

_DISTRIBUTE = read_row(
    "distribute_fpn_proposals -> | min_level max_level refer_level refer_scale pixel_offset"
)


@pir_op("distribute_fpn_proposals")
def distribute_fpn_proposals(node: PirNode, writer: BlockWriter) -> None:
    """`distribute_fpn_proposals`, whose first two results are lists with a part per level."""
    attrs: dict[str, AttrValue] = _DISTRIBUTE.attr_values(node)
    outputs: dict[str, Operand] = {"RestoreIndex": node.output(2)}
    for position, slot in enumerate(("MultiFpnRois", "MultiLevelRoIsNum")):
        output = node.output(position)
        if position == 0 or node.is_used(position):
            output.parts = [writer.new(output, item) for item in output.type.items or ()]
            outputs[slot] = output
    inputs = {"FpnRois": node.input(0), "RoisNum": node.optional(1)}
    writer.emit("distribute_fpn_proposals", inputs, outputs, attrs)
