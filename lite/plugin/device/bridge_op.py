"""One op as its bridge sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.ir.graph import Node, Value
from lite.ir.program import VarKind
from lite.ir.quantized_arrays import real_array
from lite.ir.types import Array, DType
from lite.ops.schema import get_schema
from lite.ops.view import Meta, OpView


class BridgeOp(OpView):
    """An op with its attributes, defaults filled in, and the metas of its inputs and outputs.

    A meta is the element type, the shape and the quantisation of a value, and the elements of a constant.
    ``op["X"]`` is the meta of a required input, ``op.get("Bias")`` of an optional one, and ``op.all("X")``
    are the metas of a repeated slot, as in a shape rule.

    For a composite, the op is the last op of the match.  `captures` are the ops that the pattern names, by
    name; `captured` are all values that it names, whose tensors `Conversion.tensor` returns.
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
        """The name of the op in messages and reports: the first variable that it writes."""
        return self.node.label

    def constant(self, slot: str) -> Array | None:
        """The elements of a constant input; None for any other input and for an empty slot.

        Those of a quantised constant are the real numbers.
        """
        values = self.node.inputs.get(slot)
        return real_array(values[0]) if values else None

    def output(self, slot: str | None = None) -> Meta:
        """The meta of the only output of a slot, by default of the first slot.

        Raises `GraphError` for a slot that does not have exactly one output.
        """
        return meta_of(self.node.output(slot))

    def outputs(self, slot: str) -> Sequence[Meta]:
        """The metas of a repeated output slot; empty where the op lacks it."""
        return [meta_of(value) for value in self.node.outputs.get(slot, ())]

    def writes(self, slot: str) -> bool:
        """Whether anything reads an output of this slot."""
        return any(value.is_used for value in self.node.outputs.get(slot, ()))


def meta_of(value: Value) -> Meta:
    """The element type, shape, elements and quantisation; an unknown element type is taken for float32.

    The element type and the elements of a quantised value are those of the real numbers.
    """
    is_array = value.kind == VarKind.TENSOR_ARRAY
    dtype = value.dtype or DType.FLOAT32
    return Meta(dtype, value.shape, real_array(value), is_array=is_array, quant=value.quant)
