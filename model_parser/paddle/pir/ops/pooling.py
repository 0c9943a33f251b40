"""Pooling."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.paddle.pir.block_writer import BlockWriter
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops, read_row

_POOL2D = read_row(
    "pool2d X _ -> Out | pooling_type strides paddings padding_algorithm global_pooling adaptive exclusive "
    "ceil_mode data_format"
)

_WITH_INDEX = "kernel_size=ksize strides paddings global_pooling adaptive ceil_mode"

pir_ops(
    {
        "lp_pool2d": "lp_pool2d x -> out | kernel_size strides paddings ceil_mode data_format global_pooling "
        "adaptive padding_algorithm norm_type",
        "max_pool2d_with_index": f"max_pool2d_with_index X -> Out Mask | {_WITH_INDEX}",
        "max_pool3d_with_index": f"max_pool3d_with_index X -> Out Mask | {_WITH_INDEX}",
        "pool3d": "pool3d X -> Out | kernel_size=ksize strides paddings ceil_mode exclusive data_format "
        "pooling_type global_pooling adaptive padding_algorithm",
        "psroi_pool": "psroi_pool X ROIs RoisNum -> Out | "
        "pooled_height pooled_width output_channels spatial_scale",
        "roi_align": "roi_align X ROIs RoisNum -> Out | "
        "pooled_height pooled_width spatial_scale sampling_ratio aligned",
        "roi_pool": "roi_pool X ROIs RoisNum -> Out Argmax | pooled_height pooled_width spatial_scale",
        "unpool3d": "unpool3d X Indices -> Out | output_size data_format",
    }
)


@pir_op("pool2d")
def pool2d(node: PirNode, writer: BlockWriter) -> None:
    """`pool2d`, whose window is an operand."""
    size = node.input(1).integers()
    if size is None:
        raise ModelParseError("operand 'kernel_size': expected a constant; export the window as numbers")
    attrs: dict[str, AttrValue] = {"ksize": size, **_POOL2D.attr_values(node)}
    writer.emit("pool2d", {"X": node.input(0)}, {"Out": node.output()}, attrs)


@pir_op("unpool")
def unpool(node: PirNode, writer: BlockWriter) -> None:
    """`unpool`, whose output size is an operand."""
    size = node.input(2).integers()
    if size is None:
        raise ModelParseError("operand 'output_size': expected a constant; export the size as numbers")
    attrs: dict[str, AttrValue] = {
        "output_size": size[-2:],
        "data_format": node.string("data_format", "NCHW"),
    }
    inputs = {"X": node.input(0), "Indices": node.input(1)}
    writer.emit("unpool", inputs, {"Out": node.output()}, attrs)
