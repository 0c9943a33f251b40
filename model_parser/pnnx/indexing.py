"""Advanced indices: lists, tensors of positions and masks, and the coordinates that they mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import DType
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.expression import lower, parse
from lite.model_parser.pnnx.value import Value, Var
from lite.model_parser.pnnx.writer import Writer


@dataclass(frozen=True)
class Indices:
    """The tensor of positions of each indexed axis; they broadcast to the shape of the result's new axes.

    `is_unsized` tells that their number follows from the data of a mask.
    """

    by_axis: dict[int, Var]
    is_unsized: bool

    @property
    def place(self) -> int:
        """The position of the new axes in the result: that of the first axis if all are adjacent, else 0."""
        axes = [*self.by_axis]
        return axes[0] if axes == list(range(axes[0], axes[0] + len(axes))) else 0

    def leading(self, rank: int) -> list[int]:
        """The axes of a tensor with the indexed ones first."""
        return [*self.by_axis, *(axis for axis in range(rank) if axis not in self.by_axis)]

    def coordinates(self, writer: Writer) -> Var:
        """The positions, stacked on a new last axis."""
        columns = [writer.cast(var, DType.INT64) for var in self.by_axis.values()]
        if len({writer.shape(column) for column in columns}) > 1:
            columns = [_broadcast(writer, column, columns) for column in columns]
        return writer.emit_one("stack", {"X": columns}, {"axis": -1})


def read_indices(call: Call, name: str) -> Indices:
    """The indices of an argument: a list of positions or masks, and None for whole axes."""
    value: Value
    if name in call.operator.params:
        value = lower(parse(call.raw(name)), call.inputs, call.writer)
    else:
        value = call.arg(name)
    entries: list[Value] = [value]
    if isinstance(value, Sequence) and not isinstance(value, str):
        entries = list(value)
    if entries and all(isinstance(entry, int) for entry in entries):
        entries = [entries]
    by_axis: dict[int, Var] = {}
    axis, is_unsized = 0, False
    for entry in entries:
        if entry is None:
            axis += 1
            continue
        var = _tensor(call, entry)
        if call.writer.dtype(var) not in (DType.BOOL, DType.UINT8):
            by_axis[axis] = var
            axis += 1
            continue
        is_unsized = True
        for column in _columns(call.writer, var):
            by_axis[axis] = column
            axis += 1
    if not by_axis:
        raise call.error(f"argument {name}: expected indices, got {entries}")
    return Indices(by_axis, is_unsized)


def _tensor(call: Call, entry: Value) -> Var:
    if isinstance(entry, Var):
        return entry
    numbers = np.array([] if entry is None else entry)
    if numbers.dtype.kind not in "bi" and numbers.size:
        raise call.error(f"expected indices, got {entry!r}")
    return call.writer.constant(numbers if numbers.dtype.kind == "b" else numbers.astype(np.int64))


def _columns(writer: Writer, mask: Var) -> list[Var]:
    """The positions along each axis of the mask where it holds."""
    places = writer.emit_one("where_index", {"Condition": mask})
    rank = writer.rank(mask)
    if rank == 1:
        return [writer.reshape(places, [-1])]
    return [
        writer.emit_one(
            "slice", {"Input": places}, {"axes": [1], "starts": [n], "ends": [n + 1], "decrease_axis": [1]}
        )
        for n in range(rank)
    ]


def _broadcast(writer: Writer, column: Var, columns: Sequence[Var]) -> Var:
    for other in columns:
        if other != column:
            zeros = writer.unary("fill_any_like", other, {"value": 0.0, "dtype": -1})
            column = writer.binary("elementwise_add", column, zeros)
    return column
