"""The element types that ONNX allows, and those that the kernels of ONNX Runtime take."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lite.bridges.onnxruntime.builder import Builder, OnnxNode, Tensor
from lite.ir.types import DType

if TYPE_CHECKING:
    import onnx

CPU = "CPUExecutionProvider"

_ONNX_NAMES = {
    DType.FLOAT32: "tensor(float)",
    DType.FLOAT64: "tensor(double)",
    DType.FLOAT8_E4M3FN: "tensor(float8e4m3fn)",
    DType.FLOAT8_E5M2: "tensor(float8e5m2)",
}


@dataclass(frozen=True)
class _Kernel:
    """A kernel of ONNX Runtime: its opset versions, and its types by type parameter of the schema."""

    first: int
    last: int
    types: Mapping[str, frozenset[str]]


def why_not_types(node: OnnxNode, opset: int) -> str | None:
    """Why ONNX does not allow a node's element types, in one sentence; None when it does."""
    if node.domain:
        return None
    for parameter, tensor, name in _typed(node, opset):
        allowed = _allowed(node.op_type, opset).get(parameter)
        if allowed is not None and name not in allowed:
            return f"ONNX's {node.op_type} does not take {tensor.dtype}"
    return None


def why_not_kernel(node: OnnxNode, opset: int) -> str | None:
    """Why ONNX Runtime's CPU provider cannot run a node of these element types; None when it can.

    The provider casts float16 to float32 where it has no kernel, and runs functions by their bodies.
    """
    kernels = [
        kernel
        for kernel in _kernels().get((node.domain, node.op_type), ())
        if kernel.first <= _since(node, opset) <= kernel.last
    ]
    if not kernels:
        has_body = not node.domain and _has_body(node.op_type, opset)
        return None if has_body else f"ONNX Runtime has no kernel for {node.op_type}"
    typed = list(_typed(node, opset))
    if any(_fits(kernel, typed) for kernel in kernels):
        return None
    dtypes = ", ".join(dict.fromkeys(str(tensor.dtype) for _, tensor, _ in typed))
    return f"ONNX Runtime has no kernel for {node.op_type} of {dtypes}"


def _fits(kernel: _Kernel, typed: Sequence[tuple[str, Tensor, str]]) -> bool:
    return all(
        parameter not in kernel.types
        or name in kernel.types[parameter]
        or (name == "tensor(float16)" and "tensor(float)" in kernel.types[parameter])
        for parameter, _, name in typed
    )


def _typed(node: OnnxNode, opset: int) -> Iterator[tuple[str, Tensor, str]]:
    """Every input and output: its type parameter in the schema, the tensor, and the name of its type."""
    if node.domain:
        return
    schema = _schema(node.op_type, opset)
    for formal, tensors in ((schema.inputs, node.inputs), (schema.outputs, node.outputs)):
        for n, tensor in enumerate(tensors):
            if tensor is not None and formal:
                yield (
                    formal[min(n, len(formal) - 1)].type_str,
                    tensor,
                    _ONNX_NAMES.get(tensor.dtype, f"tensor({tensor.dtype})"),
                )


@functools.cache
def _schema(op_type: str, opset: int) -> onnx.defs.OpSchema:
    from onnx import defs

    return defs.get_schema(op_type, opset)


def _has_body(op_type: str, opset: int) -> bool:
    schema: Any = _schema(op_type, opset)
    return bool(schema.has_function or schema.has_context_dependent_function)


@functools.cache
def _allowed(op_type: str, opset: int) -> Mapping[str, frozenset[str]]:
    return {
        constraint.type_param_str: frozenset(constraint.allowed_type_strs)
        for constraint in _schema(op_type, opset).type_constraints
    }


def _since(node: OnnxNode, opset: int) -> int:
    return 1 if node.domain else _schema(node.op_type, opset).since_version


@functools.cache
def _kernels() -> Mapping[tuple[str, str], Sequence[_Kernel]]:
    """The kernels of the CPU provider, by domain and op type."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    kernels: dict[tuple[str, str], list[_Kernel]] = {}
    for kernel in state.get_all_opkernel_def():
        if kernel.provider == CPU:
            types = {key: frozenset(names) for key, names in kernel.type_constraints.items()}
            first, last = kernel.version_range
            kernels.setdefault((kernel.domain, kernel.op_name), []).append(_Kernel(first, last, types))
    return kernels


def nested(builder: Builder) -> Iterator[OnnxNode]:
    """Every node of a graph and of the graphs nested in it."""
    for node in builder.nodes:
        yield node
        for value in node.attributes.values():
            if isinstance(value, Builder):
                yield from nested(value)
