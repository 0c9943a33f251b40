"""Ops that change shapes: reshape, transpose, expand, join and split."""

from __future__ import annotations

from collections.abc import Sequence

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.paddle.pir.block_writer import BlockWriter
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.shape_operand import ShapeOperands
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops
from lite.model_parser.paddle.pir.types import PirType
from lite.model_parser.paddle.pir.value import Value

_BY_OPERAND = {
    "expand": ("expand_v2", "shape", "Shape", "expand_shapes_tensor"),
    "legacy_reshape": ("reshape2", "shape", "Shape", "ShapeTensor"),
    "reshape": ("reshape2", "shape", "Shape", "ShapeTensor"),
    "reverse": ("flip", "axis", "", ""),
    "squeeze": ("squeeze2", "axes", "AxesTensor", ""),
    "tile": ("tile", "repeat_times", "RepeatTimes", "repeat_times_tensor"),
    "unsqueeze": ("unsqueeze2", "axes", "AxesTensor", "AxesTensorList"),
}
"""PIR op → op, its attribute for the second operand, and its slots for a tensor and a list of tensors."""

pir_ops(
    {
        "expand_as": "expand_as_v2 X Y -> Out | target_shape",
        "flatten": "flatten_contiguous_range X -> Out | start_axis stop_axis",
        "flip": "flip X -> Out | axis",
        "stack": "stack X -> Y | axis",
        "transpose": "transpose2 X -> Out | perm=axis",
        "tril": "tril_triu X -> Out | diagonal",
    }
)


@pir_op(*_BY_OPERAND)
def shape_by_operand(node: PirNode, writer: BlockWriter) -> None:
    """An op whose second operand is a shape or a list of axes."""
    op, attr, slot, list_slot = _BY_OPERAND[node.op]
    operands = ShapeOperands(writer)
    operands.add(node.input(1), attr, slot, list_slot)
    if not slot and operands.inputs:
        raise ModelParseError(f"operand {attr!r}: expected a constant; export the axes as numbers")
    writer.emit(op, {"X": node.input(0), **operands.inputs}, {"Out": node.output()}, operands.attrs)


@pir_op("triu")
def triu(node: PirNode, writer: BlockWriter) -> None:
    """`tril_triu`, the upper triangle."""
    attrs: dict[str, AttrValue] = {"diagonal": node.integer("diagonal", 0), "lower": False}
    writer.emit("tril_triu", {"X": node.input(0)}, {"Out": node.output()}, attrs)


@pir_op("roll")
def roll(node: PirNode, writer: BlockWriter) -> None:
    """`roll`."""
    operands = ShapeOperands(writer)
    operands.add(node.input(1), "shifts", "ShiftsTensor")
    attrs: dict[str, AttrValue] = {"axis": node.integers("axis"), **operands.attrs}
    writer.emit("roll", {"X": node.input(0), **operands.inputs}, {"Out": node.output()}, attrs)


@pir_op("concat")
def concat(node: PirNode, writer: BlockWriter) -> None:
    """`concat`; a constant axis becomes an attribute."""
    operands = _axis(node, 1, writer)
    inputs = {"X": node.parts(0), **operands.inputs}
    writer.emit("concat", inputs, {"Out": node.output()}, operands.attrs)


@pir_op("split")
def split(node: PirNode, writer: BlockWriter) -> None:
    """`split` into parts of given sizes."""
    operands = _axis(node, 2, writer)
    operands.add(node.input(1), "sections", "SectionsTensorList", "SectionsTensorList")
    sections = node.input(1)
    numbers = sections.integers()
    count = len(sections.parts or ()) if numbers is None else len(numbers)
    outputs = _parts(node, writer, count)
    writer.emit("split", {"X": node.input(0), **operands.inputs}, {"Out": outputs}, operands.attrs)


@pir_op("split_with_num")
def split_with_num(node: PirNode, writer: BlockWriter) -> None:
    """`split` into parts of equal size."""
    count = node.integer("num", 0)
    operands = _axis(node, 1, writer)
    outputs = _parts(node, writer, count)
    attrs: dict[str, AttrValue] = {"num": count, **operands.attrs}
    writer.emit("split", {"X": node.input(0), **operands.inputs}, {"Out": outputs}, attrs)


@pir_op("unbind", "unstack")
def unstack(node: PirNode, writer: BlockWriter) -> None:
    """`unstack`: a part for each position on an axis."""
    axis, count = node.integer("axis", 0), _declared_count(node)
    attrs: dict[str, AttrValue] = {"axis": axis, "num": count}
    writer.emit("unstack", {"X": node.input(0)}, {"Y": _parts(node, writer, count)}, attrs)


@pir_op("meshgrid")
def meshgrid(node: PirNode, writer: BlockWriter) -> None:
    """`meshgrid`: a part for each operand."""
    sources = node.parts(0)
    writer.emit("meshgrid", {"X": sources}, {"Out": _parts(node, writer, len(sources))})


def _axis(node: PirNode, position: int, writer: BlockWriter) -> ShapeOperands:
    operands = ShapeOperands(writer)
    operands.add(node.input(position), "axis", "AxisTensor")
    axis = operands.attrs.get("axis")
    if isinstance(axis, list):
        if len(axis) != 1:
            raise ModelParseError(f"operand 'axis': expected one axis, got {axis}")
        operands.attrs["axis"] = axis[0]
    return operands


def _declared_count(node: PirNode) -> int:
    items = node.output().type.items
    if items is None:
        raise ModelParseError(f"expected a list as the result, got {node.output().type.encoding}")
    return len(items)


def _parts(node: PirNode, writer: BlockWriter, count: int) -> Sequence[Value]:
    """New values for the parts of the first result."""
    output = node.output()
    if count != _declared_count(node):
        raise ModelParseError(f"expected a list of {count} as the result, got {_declared_count(node)}")
    items: Sequence[PirType] = output.type.items or ()
    output.parts = [writer.new(output, item) for item in items]
    return output.parts
