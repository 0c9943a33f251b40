"""Ops that read and write rows or elements by index, and one-hot vectors."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.paddle.pir.block_writer import BlockWriter, Operand
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops

pir_ops(
    {
        "embedding": "lookup_table_v2 Ids W -> Out | padding_idx",
        "gather_nd": "gather_nd X Index -> Out",
        "index_select": "index_select X Index -> Out | axis=dim",
        "lookup_table_dequant": "lookup_table_dequant W Ids -> Out | padding_idx",
        "nonzero": "where_index Condition -> Out",
        "put_along_axis": "put_along_axis Input Index Value -> Result | axis=Axis reduce=Reduce "
        "include_self=Include_self",
        "scatter": "scatter X Ids Updates -> Out | overwrite",
        "scatter_nd_add": "scatter_nd_add X Index Updates -> Out",
        "take_along_axis": "take_along_axis Input Index -> Result | axis=Axis",
    }
)


@pir_op("gather")
def gather(node: PirNode, writer: BlockWriter) -> None:
    """`gather`; a constant axis becomes an attribute."""
    inputs: dict[str, Operand] = {"X": node.input(0), "Index": node.input(1)}
    _emit_with_number(node, 2, writer, "gather", inputs, "axis", "Axis")


@pir_op("one_hot")
def one_hot(node: PirNode, writer: BlockWriter) -> None:
    """`one_hot_v2`; a constant count of classes becomes an attribute."""
    _emit_with_number(node, 1, writer, "one_hot_v2", {"X": node.input(0)}, "depth", "depth_tensor")


def _emit_with_number(
    node: PirNode,
    position: int,
    writer: BlockWriter,
    op: str,
    inputs: dict[str, Operand],
    attr: str,
    slot: str,
) -> None:
    """Add an op whose operand at `position` is a number: an attribute if it is constant, else a slot."""
    value = node.optional(position)
    attrs: dict[str, AttrValue] = {}
    numbers = None if value is None else value.integers()
    if numbers is not None and len(numbers) == 1:
        attrs[attr] = numbers[0]
    elif value is not None:
        inputs[slot] = value
    writer.emit(op, inputs, {"Out": node.output()}, attrs)
