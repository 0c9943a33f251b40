"""Operands that hold sizes, axes or positions: constant ones become attributes, others stay tensors."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, DType
from lite.model_parser.paddle.pir.block_writer import BlockWriter, Operand
from lite.model_parser.paddle.pir.types import PirType
from lite.model_parser.paddle.pir.value import Value


class ShapeOperands:
    """Collects the slots and attributes of an op whose shape operands may be constants, tensors or lists."""

    def __init__(self, writer: BlockWriter) -> None:
        self.inputs: dict[str, Operand] = {}
        self.attrs: dict[str, AttrValue] = {}
        self._writer = writer

    def add(self, value: Value | None, attr: str, slot: str, list_slot: str = "") -> None:
        """Add an operand; None adds nothing.

        A constant becomes the attribute `attr`.  A list of tensors is added to `list_slot` if the op has one,
        else joined into one tensor; tensors are added to `slot`.
        """
        if value is None:
            return
        value = _without_list(value)
        numbers = value.integers()
        if numbers is not None:
            self.attrs[attr] = numbers
        elif value.parts is not None and list_slot:
            self.inputs[list_slot] = value.parts
        else:
            self.inputs[slot] = joined(self._writer, value)


def joined(writer: BlockWriter, value: Value) -> Value:
    """Add ops that join a list of n tensors of one integer into int64[n]; returns a tensor unchanged."""
    value = _without_list(value)
    if value.parts is None:
        return value
    type = PirType("joined", DType.INT64, (1,))
    parts = []
    for part in value.parts:
        flat, wide = writer.new(part, type), writer.new(part, type)
        writer.emit("reshape2", {"X": part}, {"Out": flat}, {"shape": [1]})
        writer.emit("cast", {"X": flat}, {"Out": wide}, {"out_dtype": DType.INT64.code})
        parts.append(wide)
    out = writer.new(value, PirType("joined", DType.INT64, (len(parts) or UNKNOWN,)))
    writer.emit("concat", {"X": parts}, {"Out": out}, {"axis": 0})
    return out


def _without_list(value: Value) -> Value:
    """The tensor of all numbers that a program translated from the classic format has as a list of one."""
    if value.parts is None or len(value.parts) != 1 or value.parts[0].shape in ((), (1,)):
        return value
    return value.parts[0]
