"""The graph builder: every node is checked when it is added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lite.bridges.sim_npu.sdk import limits, operators  # operators: importing it fills the table
from lite.bridges.sim_npu.sdk.attributes import Attribute, Attributes
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.operator import OPERATORS, Operator
from lite.bridges.sim_npu.sdk.tensor import Array, Tensor, TensorType

__all__ = ["Graph", "Node", "operators"]


@dataclass(frozen=True)
class Node:
    """One use of an operator."""

    kind: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    attributes: Attributes


class Graph:
    """Inputs, constants, nodes and outputs; nodes run in the order in which they are added."""

    def __init__(self) -> None:
        self.tensors: list[Tensor] = []
        self.nodes: list[Node] = []
        self.inputs: dict[str, Tensor] = {}
        self.outputs: dict[str, Tensor] = {}
        self._weight_bytes = 0

    def input(self, name: str, shape: Sequence[int], dtype: str) -> Tensor:
        """A tensor that the caller passes to every run."""
        _check_name(name, self.inputs, "inputs", limits.INPUTS)
        self.inputs[name] = self._tensor(TensorType(dtype, tuple(shape)))
        return self.inputs[name]

    def constant(self, name: str, array: Array) -> Tensor:
        """A tensor that never changes; `name` appears in messages."""
        try:
            type_ = TensorType(array.dtype.name, array.shape)
        except NpuError as error:
            raise NpuError(error.status, f"constant {name!r}: {error.detail}") from error
        self._weight_bytes += type_.nbytes
        if self._weight_bytes > limits.WEIGHT_BYTES:
            raise NpuError(
                Status.LIMIT_EXCEEDED,
                f"{self._weight_bytes} bytes of constants (supported: up to {limits.WEIGHT_BYTES})",
            )
        return self._tensor(type_, np.ascontiguousarray(array))

    def add(self, kind: str, *inputs: Tensor, **attributes: Attribute | Sequence[int]) -> tuple[Tensor, ...]:
        """Add a node and return its outputs; raises `NpuError` for a node that the hardware cannot run."""
        entry = OPERATORS.get(kind)
        if entry is None:
            raise NpuError(Status.UNKNOWN_OPERATOR, f"{kind} (known: {', '.join(sorted(OPERATORS))})")
        if len(self.nodes) == limits.NODES:
            raise NpuError(Status.LIMIT_EXCEEDED, f"more than {limits.NODES} nodes")
        self._check_inputs(entry, inputs)
        values = _attributes(entry, attributes)
        try:
            types = entry.infer([tensor.type for tensor in inputs], values)
        except NpuError as error:
            raise NpuError(error.status, f"{kind}: {error.detail}") from error
        outputs = tuple(self._tensor(type_) for type_ in types)
        self.nodes.append(Node(kind, inputs, outputs, values))
        return outputs

    def output(self, name: str, tensor: Tensor) -> None:
        """Make a tensor the next output."""
        _check_name(name, self.outputs, "outputs", limits.OUTPUTS)
        self._check_own(tensor)
        self.outputs[name] = tensor

    def _tensor(self, type_: TensorType, data: Array | None = None) -> Tensor:
        self.tensors.append(Tensor(len(self.tensors), type_, data))
        return self.tensors[-1]

    def _check_inputs(self, entry: Operator, inputs: Sequence[Tensor]) -> None:
        if not entry.fewest <= len(inputs) <= entry.most:
            raise NpuError(
                Status.INVALID_ARITY,
                f"{entry.kind} takes {entry.fewest} to {entry.most} tensors, got {len(inputs)}",
            )
        for position, tensor in enumerate(inputs):
            self._check_own(tensor)
            if position in entry.constants and tensor.data is None:
                raise NpuError(Status.NOT_CONSTANT, f"{entry.kind}: input {position} must be a constant")

    def _check_own(self, tensor: Tensor) -> None:
        if tensor.index >= len(self.tensors) or self.tensors[tensor.index] is not tensor:
            raise NpuError(Status.FOREIGN_TENSOR, "the tensor belongs to another graph")


def _attributes(entry: Operator, attributes: dict[str, Attribute | Sequence[int]]) -> Attributes:
    unknown = sorted(attributes.keys() - entry.defaults.keys())
    if unknown:
        raise NpuError(Status.INVALID_ATTRIBUTE, f"{entry.kind} has no attribute {unknown[0]}")
    values: dict[str, Attribute] = {}
    for name, default in entry.defaults.items():
        value = attributes.get(name, default)
        if value is None:
            raise NpuError(Status.INVALID_ATTRIBUTE, f"{entry.kind} needs attribute {name}")
        values[name] = value if isinstance(value, bool | int | float | str) else [int(item) for item in value]
    return values


def _check_name(name: str, tensors: dict[str, Tensor], kind: str, limit: int) -> None:
    if name in tensors:
        raise NpuError(Status.INVALID_ATTRIBUTE, f"two {kind} are called {name!r}")
    if len(tensors) == limit:
        raise NpuError(Status.LIMIT_EXCEEDED, f"more than {limit} {kind}")
