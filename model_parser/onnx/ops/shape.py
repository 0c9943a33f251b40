"""ONNX Shape and Size."""

from __future__ import annotations

from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op

_LAST = 2**31 - 1


@onnx_op("Shape")
def shape(node: OnnxNode, writer: BlockWriter) -> None:
    """Ours is int32; `start` and `end` cut it as a slice does."""
    start, end = node.integer("start", 0), node.integer("end", _LAST)
    dims = writer.new(node.input(0))
    writer.emit("shape", {"Input": node.input(0)}, {"Out": dims})
    if (start, end) == (0, _LAST):
        writer.unary("cast", dims, {"out_dtype": DType.INT64.code}, node.output())
        return
    wide = writer.unary("cast", dims, {"out_dtype": DType.INT64.code})
    writer.emit(
        "slice", {"Input": wide}, {"Out": node.output()}, {"axes": [0], "starts": [start], "ends": [end]}
    )


@onnx_op("Size")
def size(node: OnnxNode, writer: BlockWriter) -> None:
    """The product of the sizes."""
    dims = writer.new(node.input(0))
    writer.emit("shape", {"Input": node.input(0)}, {"Out": dims})
    wide = writer.unary("cast", dims, {"out_dtype": DType.INT64.code})
    writer.unary("reduce_prod", wide, {"reduce_all": True}, node.output())
