"""Object detection: RoiAlign, MaxRoiPool and NonMaxSuppression."""

from __future__ import annotations

from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.custom_ops import CustomOp, register_custom_ops
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op

register_custom_ops(
    {
        "MaxRoiPool": CustomOp("max_roi_pool", "X ROIs"),
        "NonMaxSuppression": CustomOp(
            "non_max_suppression", "Boxes Scores MaxOutputBoxesPerClass IouThreshold ScoreThreshold"
        ),
    }
)

_HALF_PIXEL = 16
"""The first opset in which RoiAlign shifts boxes by half a pixel by default."""


@onnx_op("RoiAlign")
def roi_align(node: OnnxNode, writer: BlockWriter) -> None:
    """`roi_align_indexed`, whose third input is the image of each box."""
    default = "half_pixel" if node.opset >= _HALF_PIXEL else "output_half_pixel"
    writer.emit(
        "roi_align_indexed",
        {"X": node.input(0), "ROIs": node.input(1), "Images": node.input(2)},
        {"Out": node.output()},
        {
            "pooling_type": node.string("mode", "avg"),
            "pooled_height": node.integer("output_height", 1),
            "pooled_width": node.integer("output_width", 1),
            "sampling_ratio": node.integer("sampling_ratio", 0),
            "spatial_scale": node.real("spatial_scale", 1.0),
            "aligned": node.string("coordinate_transformation_mode", default) == "half_pixel",
        },
    )
