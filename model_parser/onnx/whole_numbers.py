"""Whole numbers that a node has as an attribute (older opsets) or as an input (newer ones)."""

from __future__ import annotations

from dataclasses import dataclass

from lite.ir.program import AttrValue
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode


@dataclass(frozen=True)
class WholeNumbers:
    """The numbers where they are `known`, else the name of the value that has them, and its length."""

    known: list[int] | None
    name: str = ""
    count: int | None = None

    def slot(self, slot: str) -> dict[str, str]:
        """The inputs of an op that takes them in a slot while they are not known."""
        return {} if self.known is not None else {slot: self.name}

    def attr(self, attr: str) -> dict[str, AttrValue]:
        """The attributes of an op that takes them as one where they are known."""
        return {} if self.known is None else {attr: [*self.known]}


def whole_numbers(node: OnnxNode, writer: BlockWriter, attr: str, position: int) -> WholeNumbers | None:
    """The numbers of attribute `attr`, else of the input at `position`; None where the node has neither."""
    given = node.integers(attr)
    if given is not None:
        return WholeNumbers(given, count=len(given))
    name = node.optional(position)
    return None if name is None else numbers_of(writer, name)


def numbers_of(writer: BlockWriter, name: str) -> WholeNumbers:
    """The whole numbers of a value; one that is surely empty counts as known."""
    array = writer.constant(name)
    if array is not None:
        known = [int(item) for item in array.reshape(-1)]
        return WholeNumbers(known, name, len(known))
    shape = writer.shape(name)
    count = shape[0] if shape and isinstance(shape[0], int) else 1 if shape == () else None
    return WholeNumbers([] if count == 0 else None, name, count)
