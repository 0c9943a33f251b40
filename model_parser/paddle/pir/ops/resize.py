"""Resizing, and ops that sample or move pixels."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.paddle.pir.block_writer import BlockWriter
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.shape_operand import ShapeOperands
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops

_INTERPOLATIONS = ("linear", "bilinear", "nearest", "bicubic", "trilinear")

pir_ops(
    {
        f"{method}_interp": f"{method}_interp_v2 X OutSize SizeTensor Scale -> Out | "
        "data_format=data_layout out_d out_h out_w scale align_corners align_mode"
        for method in _INTERPOLATIONS
    }
)
pir_ops(
    {
        "grid_sample": "grid_sampler X Grid -> Output | mode padding_mode align_corners",
        "channel_shuffle": "channel_shuffle X -> Out | groups data_format",
        "fold": "fold X -> Y | output_sizes kernel_sizes strides paddings dilations",
        "pixel_shuffle": "pixel_shuffle X -> Out | upscale_factor data_format",
        "pixel_unshuffle": "pixel_unshuffle X -> Out | downscale_factor data_format",
        "shuffle_channel": "shuffle_channel X -> Out | group",
        "temporal_shift": "temporal_shift X -> Out | seg_num shift_ratio data_format",
        "unfold": "unfold X -> Y | kernel_sizes strides paddings dilations",
    }
)


@pir_op("affine_grid")
def affine_grid(node: PirNode, writer: BlockWriter) -> None:
    """`affine_grid`, whose output shape is an operand."""
    operands = ShapeOperands(writer)
    operands.add(node.input(1), "output_shape", "OutputShape")
    attrs: dict[str, AttrValue] = {"align_corners": node.boolean("align_corners", True), **operands.attrs}
    inputs = {"Theta": node.input(0), **operands.inputs}
    writer.emit("affine_grid", inputs, {"Output": node.output()}, attrs)
