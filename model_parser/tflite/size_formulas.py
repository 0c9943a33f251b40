"""Sizes that operators compute from the size of a tensor."""

from __future__ import annotations

from dataclasses import replace

from lite.dataclass import dataclass
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.tensors import Tensor

_LONGEST = 8
"""The most operators between a size and what is computed from it."""


@dataclass(frozen=True)
class SizeFormula:
    """``factor · size + offset``, of the size of a tensor along an axis."""

    factor: int
    offset: int


def size_formula(shape: Tensor, axis: int, source: Tensor, writer: GraphWriter) -> SizeFormula | None:
    """How an element of a shape that PACK joins follows from the size of `source` along the same axis."""
    pack = writer.producers.get(shape.name)
    if pack is None or pack.op != "PACK" or axis >= len(pack.inputs):
        return None
    tensor, formula = pack.input(axis), SizeFormula(1, 0)
    for _ in range(_LONGEST):
        node = writer.producers.get(tensor.name)
        if node is None:
            return None
        if node.op == "STRIDED_SLICE":
            return formula if _is_size(node, axis, source, writer) else None
        operands = [node.input(0), node.input(1)] if len(node.inputs) == 2 else []
        constants = [_number(operand) for operand in operands]
        numbers = [number for number in constants if number is not None]
        if node.op not in ("ADD", "MUL", "SUB") or len(numbers) != 1 or node.integer("activation"):
            return None
        if node.op == "MUL":
            formula = replace(formula, factor=formula.factor * numbers[0])
        elif node.op == "ADD":
            formula = replace(formula, offset=formula.offset + formula.factor * numbers[0])
        elif constants[1] is not None:
            formula = replace(formula, offset=formula.offset - formula.factor * numbers[0])
        else:
            return None
        tensor = operands[constants.index(None)]
    return None


def _is_size(node: TfliteNode, axis: int, source: Tensor, writer: GraphWriter) -> bool:
    """Whether a STRIDED_SLICE takes the size of `source` along an axis."""
    shape = writer.producers.get(node.input(0).name)
    others = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "offset")
    return (
        shape is not None
        and shape.op == "SHAPE"
        and shape.input(0) is source
        and _number(node.input(1)) == axis
        and node.integer("shrink_axis_mask") == 1
        and not any(map(node.integer, others))
    )


def _number(tensor: Tensor) -> int | None:
    """The element of a constant of one integer."""
    if tensor.elements is None or tensor.elements.size != 1 or not tensor.dtype.is_integer:
        return None
    return int(tensor.elements.reshape(-1)[0])
