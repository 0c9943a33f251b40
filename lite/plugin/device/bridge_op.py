"""An op as its bridge sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.ir.graph import Node, Value
from lite.ir.program import VarKind
from lite.ir.types import Array, DType
from lite.ops.schema import get_schema
from lite.ops.view import Meta, OpView


class BridgeOp(OpView):
    """An op with the metas of its inputs and outputs, and attributes with defaults filled in.

    Inputs are read as in a shape rule (``op["X"]``, ``op.get("Bias")``, ``op.all("X")``); a constant's
    meta has its elements as `value`.  `name` is the first variable it writes: what messages call it.
    `captures` are the named ops of a composite, by name, and `captured` all its named values, of which
    `Conversion.tensor` makes tensors; its own inputs are those of its last op.
    """

    def __init__(
        self,
        node: Node,
        captures: Mapping[str, BridgeOp] | None = None,
        captured: Mapping[str, Value] | None = None,
    ) -> None:
        metas = {slot: [meta_of(value) for value in values] for slot, values in node.inputs.items()}
        super().__init__(node.op, metas, get_schema(node.op).attr_values(node.attrs))
        self.node = node
        self.captures = captures or {}
        self.captured = captured or {}

    @property
    def name(self) -> str:
        """What messages and reports call the op."""
        return self.node.label

    def constant(self, slot: str) -> Array | None:
        """The elements of an input that is constant; None for any other, and where the slot is empty."""
        values = self.node.inputs.get(slot)
        return values[0].data if values else None

    def output(self, slot: str | None = None) -> Meta:
        """The meta of an output, by default of the first slot; raises `GraphError` without exactly one."""
        return meta_of(self.node.output(slot))

    def outputs(self, slot: str) -> Sequence[Meta]:
        """The metas of a repeated output slot; none where the op lacks it."""
        return [meta_of(value) for value in self.node.outputs.get(slot, ())]

    def writes(self, slot: str) -> bool:
        """Whether anything reads this output."""
        return any(value.is_used for value in self.node.outputs.get(slot, ()))


def meta_of(value: Value) -> Meta:
    """What is known of a value; one of unknown element type counts as float32."""
    is_array = value.kind == VarKind.TENSOR_ARRAY
    return Meta(value.dtype or DType.FLOAT32, value.shape, value.data, is_array=is_array)
