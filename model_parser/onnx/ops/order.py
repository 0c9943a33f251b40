"""ONNX ops that order elements: TopK and Unique."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op
from lite.model_parser.onnx.whole_numbers import WholeNumbers, numbers_of

_UNIQUE = ("Out", "Indices", "Index", "Counts")
"""Our slots in the order of ONNX's outputs."""


@onnx_op("TopK")
def top_k(node: OnnxNode, writer: BlockWriter) -> None:
    """k is an attribute up to opset 9."""
    count = WholeNumbers([node.integer("k", 0)]) if node.has("k") else numbers_of(writer, node.input(1))
    attrs: dict[str, AttrValue] = {
        "axis": node.integer("axis", -1),
        "largest": bool(node.integer("largest", 1)),
        "sorted": bool(node.integer("sorted", 1)),
    }
    if count.known is not None:
        attrs["k"] = count.known[0]
    outputs = {
        "Out": node.optional_output(0) or writer.new(node.input(0)),
        "Indices": node.optional_output(1) or writer.new(node.input(0)),
    }
    writer.emit("top_k_v2", {"X": node.input(0), **count.slot("K")}, outputs, attrs)


@onnx_op("Unique")
def unique(node: OnnxNode, writer: BlockWriter) -> None:
    """In ascending order, or by first appearance."""
    source = node.input(0)
    attrs: dict[str, AttrValue] = {"is_sorted": True, "dtype": DType.INT64.code}
    if node.has("axis"):
        attrs["axis"] = [node.integer("axis", 0)]
    if node.integer("sorted", 1):
        outputs = {slot: node.optional_output(n) or writer.new(source) for n, slot in enumerate(_UNIQUE)}
        inverse = outputs["Index"]
        writer.emit("unique", {"X": source}, {**outputs, "Index": inverse}, attrs)
        return
    found = {slot: writer.new(source) for slot in _UNIQUE}
    writer.emit("unique", {"X": source}, found, attrs)
    _by_appearance(node, writer, found)


def _by_appearance(node: OnnxNode, writer: BlockWriter, found: dict[str, str]) -> None:
    """Rearrange sorted results by where each was first."""
    order, rank = _sorted_places(writer, found["Indices"]), None
    axes = {"Out": node.integer("axis", 0), "Indices": 0, "Counts": 0}
    for n, slot in enumerate(_UNIQUE):
        out = node.optional_output(n)
        if out is None:
            continue
        if slot == "Index":
            rank = rank or _sorted_places(writer, order)
            writer.emit("gather", {"X": rank, "Index": found[slot]}, {"Out": out}, {"axis": 0})
        else:
            inputs = {"X": found[slot], "Index": order}
            writer.emit("gather", inputs, {"Out": out}, {"axis": axes[slot]})


def _sorted_places(writer: BlockWriter, name: str) -> str:
    places = writer.new(name)
    writer.emit("argsort", {"X": name}, {"Out": writer.new(name), "Indices": places}, {"axis": 0})
    return places
