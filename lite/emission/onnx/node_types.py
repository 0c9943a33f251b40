"""The element types that ONNX allows for the inputs and outputs of a node."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from lite.emission.onnx.builder import Builder, OnnxNode, Tensor
from lite.ir.types import DType

if TYPE_CHECKING:
    import onnx

_ONNX_NAMES = {
    DType.FLOAT32: "tensor(float)",
    DType.FLOAT64: "tensor(double)",
    DType.FLOAT8_E4M3FN: "tensor(float8e4m3fn)",
    DType.FLOAT8_E5M2: "tensor(float8e5m2)",
}


def why_not_types(node: OnnxNode, opset: int) -> str | None:
    """Why ONNX does not allow a node's element types, in one sentence; None when it does."""
    if node.domain:
        return None
    for parameter, tensor, name in typed(node, opset):
        allowed = _allowed(node.op_type, opset).get(parameter)
        if allowed is not None and name not in allowed:
            return f"ONNX's {node.op_type} does not take {tensor.dtype}"
    return None


def typed(node: OnnxNode, opset: int) -> Iterator[tuple[str, Tensor, str]]:
    """Every input and output: its type parameter in the schema, the tensor, and the name of its type."""
    if node.domain:
        return
    schema = schema_of(node.op_type, opset)
    for formal, tensors in ((schema.inputs, node.inputs), (schema.outputs, node.outputs)):
        for n, tensor in enumerate(tensors):
            if tensor is not None and formal:
                yield (
                    formal[min(n, len(formal) - 1)].type_str,
                    tensor,
                    _ONNX_NAMES.get(tensor.dtype, f"tensor({tensor.dtype})"),
                )


@functools.cache
def schema_of(op_type: str, opset: int) -> onnx.defs.OpSchema:
    """The schema of an op in the newest version up to an opset."""
    from onnx import defs

    return defs.get_schema(op_type, opset)


@functools.cache
def _allowed(op_type: str, opset: int) -> Mapping[str, frozenset[str]]:
    return {
        constraint.type_param_str: frozenset(constraint.allowed_type_strs)
        for constraint in schema_of(op_type, opset).type_constraints
    }


def nested(builder: Builder) -> Iterator[OnnxNode]:
    """Every node of a graph and of the graphs nested in it."""
    for node in builder.nodes:
        yield node
        for value in node.attributes.values():
            if isinstance(value, Builder):
                yield from nested(value)
