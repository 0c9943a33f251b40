"""Diagonals and triangles of matrices."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.paddle.pir.block_writer import BlockWriter
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops

pir_ops(
    {
        "diag": "diag_v2 X -> Out | offset padding_value",
        "diag_embed": "diag_embed Input -> Out | offset dim1 dim2",
        "diagonal": "diagonal Input -> Out | offset axis1 axis2",
        "fill_diagonal": "fill_diagonal X -> Out | value offset wrap",
        "fill_diagonal_tensor": "fill_diagonal_tensor X Y -> Out | offset dim1 dim2",
        "trace": "trace Input -> Out | offset axis1 axis2",
        "tril_indices": "tril_indices -> out | rows cols offset dtype",
        "triu_indices": "triu_indices -> out | row col offset dtype",
    }
)


@pir_op("eye")
def eye(node: PirNode, writer: BlockWriter) -> None:
    """`eye`, whose sizes are operands."""
    attrs: dict[str, AttrValue] = {}
    for position, name in enumerate(("num_rows", "num_columns")):
        numbers = node.input(position).integers()
        if numbers is None or len(numbers) != 1:
            raise ModelParseError(f"operand {name!r}: expected a constant; export the size as a number")
        attrs[name] = numbers[0]
    dtype = node.dtype() or node.output().type.dtype
    if dtype is not None:
        attrs["dtype"] = dtype.code
    writer.emit("eye", {}, {"Out": node.output()}, attrs)
