"""Arithmetic with sizes that are known when the model runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter


class Sizes:
    """A vector of sizes, int64[n], that the ops of a block compute; operators add an op each."""

    def __init__(self, writer: BlockWriter, name: str) -> None:
        self._writer = writer
        self.name = name

    @classmethod
    def of(cls, writer: BlockWriter, tensor: str, first: int, count: int) -> Sizes:
        """The sizes of `count` axes of a tensor, from axis `first` on."""
        name = writer.new_name(tensor)
        attrs: dict[str, AttrValue] = {"axes": [0], "starts": [first], "ends": [first + count]}
        writer.emit("slice", {"Input": writer.shape_of(tensor)}, {"Out": name}, attrs)
        return cls(writer, writer.cast(name, DType.INT64))

    @classmethod
    def constant(cls, writer: BlockWriter, numbers: Sequence[int], base: str) -> Sizes:
        """Constant sizes; the name of the weight begins with `base`."""
        return cls(writer, writer.weight(np.array(numbers, np.int64), base))

    def followed_by(self, other: Sizes) -> Sizes:
        """These sizes, then the others."""
        name = self._writer.new_name(self.name)
        self._writer.emit("concat", {"X": [self.name, other.name]}, {"Out": name}, {"axis": 0})
        return Sizes(self._writer, name)

    def max(self, other: Sizes | int) -> Sizes:
        """The greater of each pair."""
        return self._binary("elementwise_max", other)

    def __add__(self, other: Sizes | int) -> Sizes:
        return self._binary("elementwise_add", other)

    def __sub__(self, other: Sizes | int) -> Sizes:
        return self._binary("elementwise_sub", other)

    def __mul__(self, other: Sizes | int) -> Sizes:
        return self._binary("elementwise_mul", other)

    def __floordiv__(self, other: Sizes | int) -> Sizes:
        return self._binary("elementwise_floordiv", other)

    def _binary(self, op: str, other: Sizes | int) -> Sizes:
        operand = Sizes.constant(self._writer, [other], self.name) if isinstance(other, int) else other
        return Sizes(self._writer, self._writer.binary(op, self.name, operand.name))


def axes_from(writer: BlockWriter, tensor: str, first: int) -> str:
    """The axes of a tensor of unknown rank from axis `first` to the last one, int64[rank − first]."""
    rank = Sizes(writer, writer.cast(writer.shape_of(writer.shape_of(tensor)), DType.INT64))
    start, step = (Sizes.constant(writer, [number], tensor) for number in (first, 1))
    axes = writer.new_name(tensor)
    inputs = {"Start": start.name, "End": rank.name, "Step": step.name}
    writer.emit("range", inputs, {"Out": axes}, {"allow_empty": True})
    return axes
