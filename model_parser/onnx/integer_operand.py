"""Integers that a node has as an attribute in older opsets and as an input in newer ones."""

from __future__ import annotations

from lite.dataclass import dataclass
from lite.ir.program import AttrValue
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode


@dataclass(frozen=True)
class IntegerOperand:
    """A list of integers: the constant `values`, or else the variable `name` that holds `count` of them."""

    values: list[int] | None
    name: str = ""
    count: int | None = None

    def slot(self, slot: str) -> dict[str, str]:
        """The input of an op that takes the integers in `slot` where they are not constant."""
        return {} if self.values is not None else {slot: self.name}

    def attr(self, attr: str) -> dict[str, AttrValue]:
        """The attribute of an op that takes the integers in `attr` where they are constant."""
        return {} if self.values is None else {attr: [*self.values]}


def integer_operand(node: OnnxNode, writer: BlockWriter, attr: str, position: int) -> IntegerOperand | None:
    """The attribute `attr`, else the input at `position`; None where the node has neither."""
    values = node.integers(attr)
    if values is not None:
        return IntegerOperand(values, count=len(values))
    name = node.optional(position)
    return None if name is None else integers_of(writer, name)


def integers_of(writer: BlockWriter, name: str) -> IntegerOperand:
    """The integers in a variable; one of no elements is constant, too."""
    array = writer.constant(name)
    if array is not None:
        values = [int(item) for item in array.reshape(-1)]
        return IntegerOperand(values, name, len(values))
    shape = writer.shape(name)
    count = shape[0] if shape and isinstance(shape[0], int) else 1 if shape == () else None
    return IntegerOperand([] if count == 0 else None, name, count)
