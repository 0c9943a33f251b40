"""The element types that the kernels of ONNX Runtime's CPU provider take."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from lite.dataclass import dataclass
from lite.emission.onnx.builder import OnnxNode, Tensor
from lite.emission.onnx.node_types import schema_of, typed

CPU = "CPUExecutionProvider"


@dataclass(frozen=True)
class _Kernel:
    """A kernel of ONNX Runtime: its opset versions, and its types by type parameter of the schema."""

    first: int
    last: int
    types: Mapping[str, frozenset[str]]


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
    operands = list(typed(node, opset))
    if any(_fits(kernel, operands) for kernel in kernels):
        return None
    dtypes = ", ".join(dict.fromkeys(str(tensor.dtype) for _, tensor, _ in operands))
    return f"ONNX Runtime has no kernel for {node.op_type} of {dtypes}"


def _fits(kernel: _Kernel, typed: Sequence[tuple[str, Tensor, str]]) -> bool:
    return all(
        parameter not in kernel.types
        or name in kernel.types[parameter]
        or (name == "tensor(float16)" and "tensor(float)" in kernel.types[parameter])
        for parameter, _, name in typed
    )


def _has_body(op_type: str, opset: int) -> bool:
    schema: Any = schema_of(op_type, opset)
    return bool(schema.has_function or schema.has_context_dependent_function)


def _since(node: OnnxNode, opset: int) -> int:
    return 1 if node.domain else schema_of(node.op_type, opset).since_version


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
