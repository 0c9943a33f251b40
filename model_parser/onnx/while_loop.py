"""Paddle's while op around a nested graph: the common part of Loop, Scan and SequenceMap."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.subgraph import Subgraph


class While:
    """A while op with carried variables, a counter, and tensor arrays that collect a result per iteration."""

    def __init__(self, node: OnnxNode, writer: BlockWriter, initial: Sequence[str]) -> None:
        self.writer = writer
        self.counter = _integer(writer, 0)
        self._initial = initial
        self.carried = [writer.unary("assign", name) for name in initial]
        for variable in self.carried:
            writer.forget_shape(variable)
        self.body = Subgraph(node, "body", writer)
        self.inner = self.body.writer
        self._arrays: list[tuple[str, str]] = []

    def read_carried(self, names: Sequence[str]) -> None:
        """Assign the carried values to the body's arguments `names`.

        The sizes that the body declares for them count where the initial values have them, too: others may be
        those of one run.
        """
        for initial, variable, name in zip(self._initial, self.carried, names, strict=True):
            self.inner.unary("assign", variable, out=name)
            if self.inner.shape(name) != self.writer.shape(initial):
                self.inner.forget_sizes(name)

    def collect(self, result: str) -> str:
        """A tensor array that collects a result of every iteration; its name."""
        dtype, _ = self.inner.type_of(result)
        array = self.writer.new_array(result, dtype)
        self._arrays.append((result, array))
        return array

    def run(
        self, condition: str, results: Sequence[str], conditions: Sequence[str], limit: str | None
    ) -> None:
        """Write the end of the body, and the op.

        `results` become the carried values.  The loop continues while all `conditions`, which are values
        of the body, are true and the counter is below `limit`; `condition` is the variable for that.
        """
        for result, array in self._arrays:
            self.inner.write_outer("write_to_array", {"X": result, "I": self.counter}, array)
        copies = [self.inner.unary("assign", name) for name in results]
        for copy, variable in zip(copies, self.carried, strict=True):
            self.body.copy_out(copy, variable)
        next_counter = self.inner.unary("increment", self.counter, {"step": 1.0})
        self.body.copy_out(next_counter, self.counter)
        scalars = [self.inner.unary("reshape2", name, {"shape": [1]}) for name in conditions]
        if limit is not None:
            scalars.append(self.inner.binary("less_than", next_counter, limit))
        self.body.copy_out(all_of(self.inner, scalars), condition)
        outs = [*self.carried, self.counter, *(array for _, array in self._arrays), condition]
        self.writer.run_block("while", {"Condition": condition}, outs, self.inner.block)


def stack(
    inner: BlockWriter, writer: BlockWriter, array: str, result: str, out: str, axis: int, *, reverse: bool
) -> None:
    """Write the stack of a tensor array to `out`; an empty array gets the type of `result`, one element."""
    shape = inner.shape(result)
    dtype = inner.dtype(result)
    attrs: dict[str, AttrValue] = {
        "axis": axis,
        "dtype": dtype.code,
        "shape": [dim if isinstance(dim, int) else 0 for dim in shape or ()],
        "reverse": reverse,
    }
    writer.unary("stack_array", array, attrs, out)
    if shape is not None and writer.shape(out) is None:
        position = axis if axis >= 0 else axis + len(shape) + 1
        writer.set_type(out, dtype, (*shape[:position], UNKNOWN, *shape[position:]))


def all_of(writer: BlockWriter, conditions: Sequence[str]) -> str:
    """The logical and of the conditions; true for an empty list."""
    if not conditions:
        name = writer.new_name("condition")
        writer.emit("fill_constant", {}, {"Out": name}, true([1]))
        return name
    result = conditions[0]
    for other in conditions[1:]:
        result = writer.binary("logical_and", result, other)
    return result


def true(shape: list[int]) -> dict[str, AttrValue]:
    """The attributes of a fill_constant of True."""
    return {"shape": shape, "dtype": DType.BOOL.code, "value": 1.0}


def _integer(writer: BlockWriter, value: int) -> str:
    name = writer.new_name("counter")
    attrs: dict[str, AttrValue] = {"shape": [1], "dtype": DType.INT64.code, "value": float(value)}
    writer.emit("fill_constant", {}, {"Out": name}, attrs)
    return name
