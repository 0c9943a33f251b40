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

pir_ops(
    {
        "max_pool2d_with_index": "max_pool2d_with_index X -> Out Mask | "
        "kernel_size=ksize strides paddings global_pooling adaptive",
        "roi_align": "roi_align X ROIs RoisNum -> Out | "
        "pooled_height pooled_width spatial_scale sampling_ratio aligned",
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
