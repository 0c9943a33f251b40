"""Ops that read images at computed positions, and that move their pixels."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op

_MODES = {"bilinear": "linear", "bicubic": "cubic"}
"""How opset 16 calls the modes."""
_HALF_PIXEL = 16
"""Since this opset RoiAlign shifts boxes by half a pixel unless it is told otherwise."""


@onnx_op("GridSample")
def grid_sample(node: OnnxNode, writer: BlockWriter) -> None:
    """grid_sampler of images, bilinear; else grid_sample."""
    mode = node.text("mode", "linear")
    mode = _MODES.get(mode, mode)
    attrs: dict[str, AttrValue] = {
        "padding_mode": node.text("padding_mode", "zeros"),
        "align_corners": bool(node.integer("align_corners", 0)),
    }
    inputs = {"X": node.input(0), "Grid": node.input(1)}
    if mode == "linear" and writer.rank(node.input(0)) == 4:
        writer.emit("grid_sampler", inputs, {"Output": node.output()}, {**attrs, "mode": "bilinear"})
        return
    writer.emit("grid_sample", inputs, {"Out": node.output()}, {**attrs, "mode": mode})


@onnx_op("AffineGrid")
def affine_grid(node: OnnxNode, writer: BlockWriter) -> None:
    """affine_grid of images and volumes."""
    attrs: dict[str, AttrValue] = {"align_corners": bool(node.integer("align_corners", 0))}
    inputs = {"Theta": node.input(0)}
    known = writer.constant(node.input(1))
    if known is None:
        inputs["OutputShape"] = node.input(1)
    else:
        attrs["output_shape"] = [int(size) for size in known]
    writer.emit("affine_grid", inputs, {"Output": node.output()}, attrs)


@onnx_op("RoiAlign")
def roi_align(node: OnnxNode, writer: BlockWriter) -> None:
    """roi_align_indexed: each box says which image it lies in."""
    default = "half_pixel" if node.opset >= _HALF_PIXEL else "output_half_pixel"
    writer.emit(
        "roi_align_indexed",
        {"X": node.input(0), "ROIs": node.input(1), "Images": node.input(2)},
        {"Out": node.output()},
        {
            "pooling_type": node.text("mode", "avg"),
            "pooled_height": node.integer("output_height", 1),
            "pooled_width": node.integer("output_width", 1),
            "sampling_ratio": node.integer("sampling_ratio", 0),
            "spatial_scale": node.real("spatial_scale", 1.0),
            "aligned": node.text("coordinate_transformation_mode", default) == "half_pixel",
        },
    )


@onnx_op("DepthToSpace")
def depth_to_space(node: OnnxNode, writer: BlockWriter) -> None:
    """pixel_shuffle, or depth_to_space where the squares are the outer part of the channels."""
    size, mode = node.integer("blocksize", 0), node.text("mode", "DCR")
    if mode == "CRD":
        writer.unary("pixel_shuffle", node.input(0), {"upscale_factor": size}, node.output())
        return
    writer.unary("depth_to_space", node.input(0), {"blocksize": size}, node.output())


@onnx_op("SpaceToDepth")
def space_to_depth(node: OnnxNode, writer: BlockWriter) -> None:
    """space_to_depth."""
    attrs: dict[str, AttrValue] = {
        "blocksize": node.integer("blocksize", 0),
        "channels_first": node.text("mode", "DCR") == "CRD",
    }
    writer.unary("space_to_depth", node.input(0), attrs, node.output())
