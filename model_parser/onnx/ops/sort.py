"""Order of elements: TopK, Unique, ArgMax and ArgMin."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.integer_operand import IntegerOperand, integers_of
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op

_UNIQUE = ("Out", "Indices", "Index", "Counts")
"""The output slots of `unique` in the order of ONNX's outputs."""

_ARG_EXTREMES = {"ArgMax": "arg_max", "ArgMin": "arg_min"}


@onnx_op("TopK")
def top_k(node: OnnxNode, writer: BlockWriter) -> None:
    """`top_k_v2`; k is an attribute before opset 10."""
    count = IntegerOperand([node.integer("k", 0)]) if node.has("k") else integers_of(writer, node.input(1))
    attrs: dict[str, AttrValue] = {
        "axis": node.integer("axis", -1),
        "largest": bool(node.integer("largest", 1)),
        "sorted": bool(node.integer("sorted", 1)),
    }
    if count.values is not None:
        attrs["k"] = count.values[0]
    outputs = {
        "Out": node.optional_output(0) or writer.new_name(node.input(0)),
        "Indices": node.optional_output(1) or writer.new_name(node.input(0)),
    }
    writer.emit("top_k_v2", {"X": node.input(0), **count.slot("K")}, outputs, attrs)


@onnx_op("Unique")
def unique(node: OnnxNode, writer: BlockWriter) -> None:
    """`unique` in ascending order; rearranged by first appearance where ``sorted`` is 0."""
    source = node.input(0)
    attrs: dict[str, AttrValue] = {"is_sorted": True, "dtype": DType.INT64.code}
    if node.has("axis"):
        attrs["axis"] = [node.integer("axis", 0)]
    if node.integer("sorted", 1):
        outputs = {slot: node.optional_output(n) or writer.new_name(source) for n, slot in enumerate(_UNIQUE)}
        writer.emit("unique", {"X": source}, outputs, attrs)
        return
    outputs = {slot: writer.new_name(source) for slot in _UNIQUE}
    writer.emit("unique", {"X": source}, outputs, attrs)
    _by_appearance(node, writer, outputs)


def _by_appearance(node: OnnxNode, writer: BlockWriter, ascending: dict[str, str]) -> None:
    """Rearrange the outputs of `unique` by the first position of each element."""
    order, rank = _argsort(writer, ascending["Indices"]), None
    axes = {"Out": node.integer("axis", 0), "Indices": 0, "Counts": 0}
    for n, slot in enumerate(_UNIQUE):
        out = node.optional_output(n)
        if out is None:
            continue
        if slot == "Index":
            rank = rank or _argsort(writer, order)
            writer.emit("gather", {"X": rank, "Index": ascending[slot]}, {"Out": out}, {"axis": 0})
        else:
            inputs = {"X": ascending[slot], "Index": order}
            writer.emit("gather", inputs, {"Out": out}, {"axis": axes[slot]})


def _argsort(writer: BlockWriter, name: str) -> str:
    indices = writer.new_name(name)
    writer.emit("argsort", {"X": name}, {"Out": writer.new_name(name), "Indices": indices}, {"axis": 0})
    return indices


@onnx_op(*_ARG_EXTREMES)
def arg_extreme(node: OnnxNode, writer: BlockWriter) -> None:
    """`arg_max` or `arg_min`."""
    attrs = {
        "axis": node.integer("axis", 0),
        "keepdims": bool(node.integer("keepdims", 1)),
        "select_last_index": bool(node.integer("select_last_index", 0)),
    }
    writer.unary(_ARG_EXTREMES[node.op], node.input(0), attrs, node.output())
