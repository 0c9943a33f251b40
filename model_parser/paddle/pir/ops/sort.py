"""Sorting and distinct elements."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.paddle.pir.block_writer import BlockWriter, Operand
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.shape_operand import joined
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops, read_row

_TOPK = read_row("top_k_v2 X K -> Out Indices | axis largest sorted")

pir_ops(
    {
        "argsort": "argsort X -> Out Indices | axis descending",
        "unique": "unique X -> Out Indices Index Counts | "
        "return_index return_inverse return_counts axis dtype is_sorted",
    }
)


@pir_op("topk")
def topk(node: PirNode, writer: BlockWriter) -> None:
    """`top_k_v2`; a constant count becomes an attribute."""
    count = node.input(1).integers()
    inputs: dict[str, Operand] = {"X": node.input(0)}
    attrs: dict[str, AttrValue] = _TOPK.attr_values(node)
    if count is not None and len(count) == 1:
        attrs["k"] = count[0]
    else:
        inputs["K"] = joined(writer, node.input(1))
    outputs: dict[str, Operand] = {"Out": node.output()}
    if node.is_used(1):
        outputs["Indices"] = node.output(1)
    writer.emit("top_k_v2", inputs, outputs, attrs)
