"""A node and its attributes, for the functions that translate it."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from lite.errors import ModelParseError
from lite.ir.types import Array, DType
from lite.model_parser.onnx.element_types import dtype_of
from lite.model_parser.onnx.messages import GraphProto, NodeProto
from lite.model_parser.onnx.tensors import TensorReader
from lite.model_parser.onnx.versions import DEFAULT_DOMAINS


def op_name(proto: NodeProto) -> str:
    """The op type; in front of it the domain, unless it is the default one: ``com.microsoft.QGemm``."""
    return proto.op_type if proto.domain in DEFAULT_DOMAINS else f"{proto.domain}.{proto.op_type}"


class OnnxNode:
    """A NodeProto of a model in opset `opset`; an absent input or output has the empty name.

    `op` is the name that `op_name` returns.
    """

    def __init__(self, proto: NodeProto, opset: int, source: str, tensors: TensorReader) -> None:
        self.op = op_name(proto)
        self.name = proto.name
        self.inputs: Sequence[str] = list(proto.input)
        self.outputs: Sequence[str] = list(proto.output)
        self.opset = opset
        self._attrs = {attr.name: attr for attr in proto.attribute}
        self._source = source
        self._tensors = tensors

    def input(self, position: int) -> str:
        """A required input; raises `ModelParseError` where it is absent."""
        name = self.optional(position)
        if name is None:
            raise self.error(f"input {position} is missing")
        return name

    def optional(self, position: int) -> str | None:
        """An input, or None where it is absent."""
        return self.inputs[position] or None if position < len(self.inputs) else None

    def output(self, position: int = 0) -> str:
        """A required output; raises `ModelParseError` where it is absent."""
        name = self.optional_output(position)
        if name is None:
            raise self.error(f"output {position} is missing")
        return name

    def optional_output(self, position: int) -> str | None:
        """An output, or None where it is absent."""
        return self.outputs[position] or None if position < len(self.outputs) else None

    def has(self, name: str) -> bool:
        """Whether the node has the attribute."""
        return name in self._attrs

    def integer(self, name: str, default: int) -> int:
        """An attribute that is an integer."""
        return int(self._attrs[name].i) if name in self._attrs else default

    def real(self, name: str, default: float) -> float:
        """An attribute that is a real number."""
        return float(self._attrs[name].f) if name in self._attrs else default

    def string(self, name: str, default: str) -> str:
        """An attribute that is a string."""
        return self._attrs[name].s.decode("utf-8", "replace") if name in self._attrs else default

    def integers(self, name: str) -> list[int] | None:
        """An attribute that is a list of integers, or None where it is absent."""
        return [int(item) for item in self._attrs[name].ints] if name in self._attrs else None

    def reals(self, name: str) -> list[float] | None:
        """An attribute that is a list of real numbers, or None where it is absent."""
        return [float(item) for item in self._attrs[name].floats] if name in self._attrs else None

    def strings(self, name: str) -> list[str] | None:
        """An attribute that is a list of strings, or None where it is absent."""
        return (
            [item.decode("utf-8", "replace") for item in self._attrs[name].strings]
            if name in self._attrs
            else None
        )

    def dtype(self, name: str, default: DType | None = None) -> DType:
        """An attribute that is an element type; raises `ModelParseError` for an unsupported one."""
        if default is not None and name not in self._attrs:
            return default
        try:
            dtype = dtype_of(self.integer(name, 0))
        except ModelParseError as error:
            raise self.error(f"attribute {name}: {error}") from error
        if dtype is None:
            raise self.error(f"attribute {name} is missing")
        return dtype

    def tensor(self, name: str) -> Array | None:
        """An attribute that is a tensor, or None where it is absent."""
        if name not in self._attrs:
            return None
        return self._tensors.read(self._attrs[name].t, f"{self._where()}: attribute {name}")

    def sparse_tensor(self, name: str) -> Array:
        """An attribute that is a sparse tensor, as a dense array; raises where it is absent."""
        if name not in self._attrs:
            raise self.error(f"attribute {name} is missing")
        return self._tensors.read_sparse(
            self._attrs[name].sparse_tensor, f"{self._where()}: attribute {name}"
        )

    def graph(self, name: str) -> GraphProto:
        """An attribute that is a graph; raises `ModelParseError` where it is absent."""
        if name not in self._attrs:
            raise self.error(f"attribute {name} is missing")
        return self._attrs[name].g

    def replaced(self, proto: NodeProto, opset: int) -> OnnxNode:
        """A node of another proto and opset in the same model."""
        return OnnxNode(proto, opset, self._source, self._tensors)

    def as_op(
        self, op: str, inputs: Sequence[str], outputs: Sequence[str], opset: int | None = None
    ) -> OnnxNode:
        """A node of another op of the default domain, with the name and attributes of this one."""
        proto = NodeProto(
            op_type=op, name=self.name, input=inputs, output=outputs, attribute=self._attrs.values()
        )
        return self.replaced(proto, self.opset if opset is None else opset)

    def without(self, *attributes: str) -> OnnxNode:
        """The node without some of its attributes."""
        node = copy.copy(self)
        node._attrs = {name: attr for name, attr in self._attrs.items() if name not in attributes}
        return node

    def with_input(self, position: int, name: str) -> OnnxNode:
        """The node with another input."""
        node = copy.copy(self)
        node.inputs = [*self.inputs[:position], name, *self.inputs[position + 1 :]]
        return node

    def error(self, reason: str) -> ModelParseError:
        """The error of a node that cannot be translated."""
        return ModelParseError(f"{self._where()}: {reason}")

    def _where(self) -> str:
        return f"{self._source}: node {self.name or self.outputs[:1]} ({self.op})"
