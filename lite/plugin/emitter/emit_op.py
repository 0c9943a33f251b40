"""One op as its emitter sees it: attributes, and values whose shapes are numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lite.dataclass import dataclass
from lite.errors import GraphError
from lite.ir.attributes import AttributeReaders
from lite.ir.graph import Node, Value
from lite.ir.types import Array, DType, Layout, is_known, shape_text
from lite.ops.schema import get_schema


@dataclass(frozen=True, eq=False)
class EmitValue:
    """A value of a graph: its element type, its shape in elements, and the elements of a constant.

    Raises `GraphError` for a value of unknown shape.
    """

    value: Value

    def __post_init__(self) -> None:
        if not is_known(self.value.shape):
            raise GraphError(f"{self.value!r} has no static shape: {shape_text(self.value.shape)}")

    @property
    def dtype(self) -> DType:
        """The element type; unknown ones are float32."""
        return self.value.dtype or DType.FLOAT32

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes, in the order in which they are stored."""
        return tuple(dim for dim in self.value.shape or () if isinstance(dim, int))

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def data(self) -> Array | None:
        """The elements of a constant."""
        return self.value.data

    @property
    def bytes(self) -> int:
        """The bytes of all elements."""
        return self.size * self.dtype.itemsize

    def __str__(self) -> str:
        return f"{self.dtype}{shape_text(self.shape)}"


class EmitOp(AttributeReaders):
    """An op with its attributes, defaults filled in, and its values by slot."""

    def __init__(self, node: Node) -> None:
        super().__init__(node.op, get_schema(node.op).attr_values(node.attrs))
        self.node = node

    def __getitem__(self, slot: str) -> EmitValue:
        """The value of a required input."""
        return EmitValue(self.node.input(slot))

    def get(self, slot: str) -> EmitValue | None:
        """The value of an optional input, or None."""
        value = self.node.optional_input(slot)
        return None if value is None else EmitValue(value)

    def all(self, slot: str) -> Sequence[EmitValue]:
        """The values of a repeated input."""
        return [EmitValue(value) for value in self.node.inputs.get(slot, ())]

    def out(self, slot: str | None = None) -> EmitValue:
        """The value of an output, by default of the first."""
        return EmitValue(self.node.output(slot))

    def outs(self, slot: str) -> Sequence[EmitValue]:
        """The values of a repeated output."""
        return [EmitValue(value) for value in self.node.outputs.get(slot, ())]

    def unused(self, slot: str) -> bool:
        """Whether nothing reads the outputs of this slot."""
        return not any(value.is_used for value in self.node.outputs.get(slot, ()))

    @property
    def in_nhwc(self) -> bool:
        """Whether the images are stored in NHWC although the op's attributes are for NCHW."""
        return self.node.place is not None and self.node.place.layout is Layout.NHWC
