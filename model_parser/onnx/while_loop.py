"""A while op around a graph in a node: the ground of Loop, Scan and SequenceMap."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.subgraph import Subgraph


class While:
    """A while op around a subgraph: carried variables, a counter, results of each turn in tensor arrays."""

    def __init__(self, node: OnnxNode, writer: BlockWriter, initial: Sequence[str]) -> None:
        self.writer = writer
        self.counter = _whole(writer, 0)
        self.carried = [writer.unary("assign", name) for name in initial]
        for variable in self.carried:
            writer.forget_shape(variable)
        self.body = Subgraph(node, "body", writer)
        self.inner = self.body.writer
        self._arrays: list[tuple[str, str]] = []

    def read_carried(self, names: Sequence[str]) -> None:
        """Give the body its carried values under its own names."""
        for variable, name in zip(self.carried, names, strict=True):
            self.inner.unary("assign", variable, out=name)

    def collect(self, result: str) -> str:
        """An array that takes in a result of every turn."""
        dtype, _ = self.inner.type_of(result)
        array = self.writer.new_array(result, dtype)
        self._arrays.append((result, array))
        return array

    def run(self, condition: str, results: Sequence[str], again: Sequence[str], limit: str | None) -> None:
        """Write the ends of the body, and the op.

        `results` become the carried values; another turn follows while all of `again`, values of the
        body, hold and the counter is below `limit`.
        """
        for result, array in self._arrays:
            self.inner.write_outer("write_to_array", {"X": result, "I": self.counter}, array)
        copies = [self.inner.unary("assign", name) for name in results]
        for copy, variable in zip(copies, self.carried, strict=True):
            self.body.copy_out(copy, variable)
        following = self.inner.unary("increment", self.counter, {"step": 1.0})
        self.body.copy_out(following, self.counter)
        conditions = [self.inner.unary("reshape2", name, {"shape": [1]}) for name in again]
        if limit is not None:
            conditions.append(self.inner.binary("less_than", following, limit))
        self.body.copy_out(every(self.inner, conditions), condition)
        outs = [*self.carried, self.counter, *(array for _, array in self._arrays), condition]
        self.writer.run_block("while", {"Condition": condition}, outs, self.inner.block)


def stack(
    inner: BlockWriter, writer: BlockWriter, array: str, result: str, out: str, axis: int, *, back: bool
) -> None:
    """All of an array as one tensor; what one element is like counts where there is none."""
    shape = inner.shape(result)
    dtype = inner.dtype(result)
    attrs: dict[str, AttrValue] = {
        "axis": axis,
        "dtype": dtype.code,
        "shape": [dim if isinstance(dim, int) else 0 for dim in shape or ()],
        "reverse": back,
    }
    writer.unary("stack_array", array, attrs, out)
    if shape is not None and writer.shape(out) is None:
        place = axis if axis >= 0 else axis + len(shape) + 1
        writer.describe(out, dtype, (*shape[:place], UNKNOWN, *shape[place:]))


def every(writer: BlockWriter, conditions: Sequence[str]) -> str:
    """Whether all conditions hold; without one, they do."""
    if not conditions:
        name = writer.new("condition")
        writer.emit("fill_constant", {}, {"Out": name}, true([1]))
        return name
    result = conditions[0]
    for other in conditions[1:]:
        result = writer.binary("logical_and", result, other)
    return result


def true(shape: list[int]) -> dict[str, AttrValue]:
    """The attributes of a fill_constant that holds."""
    return {"shape": shape, "dtype": DType.BOOL.code, "value": 1.0}


def _whole(writer: BlockWriter, value: int) -> str:
    name = writer.new("counter")
    attrs: dict[str, AttrValue] = {"shape": [1], "dtype": DType.INT64.code, "value": float(value)}
    writer.emit("fill_constant", {}, {"Out": name}, attrs)
    return name
