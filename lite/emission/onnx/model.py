"""The ModelProto of a complete graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from lite.emission.onnx.builder import ONNX_CODES, Attribute, Builder, Tensor
from lite.errors import CompileError
from lite.ir.types import UNKNOWN, Array, DType
from lite.ops.view import Meta

if TYPE_CHECKING:
    import onnx

IR_VERSION = 10
"""The IR version that ONNX released with opset 21; ONNX Runtime reads it since 1.18."""

LARGEST = 2**31 - 1
"""The largest size of a protobuf message, in bytes."""


def make_model(builder: Builder, name: str = "region") -> onnx.ModelProto:
    """The model with all constants in it; raises `CompileError` for 2 GiB of constants or more."""
    from onnx import helper

    constants = constants_of(builder)
    size = sum(array.nbytes for array in constants.values())
    if size >= LARGEST:
        raise CompileError(f"the constants have {size} bytes; one ONNX file holds less than {LARGEST}")
    graph = _graph(builder, name)
    graph.initializer.extend(_tensor_proto(key, array) for key, array in constants.items())
    domains = sorted({node.domain for each in _walk(builder) for node in each.nodes} - {""})
    imports = [helper.make_opsetid("", builder.opset), *(helper.make_opsetid(each, 1) for each in domains)]
    return helper.make_model(graph, opset_imports=imports, ir_version=IR_VERSION, producer_name="litebridge")


def constants_of(builder: Builder) -> dict[str, Array]:
    """The constants that the nodes of the graph and of nested graphs read, by name."""
    read = (tensor for each in _walk(builder) for node in each.nodes for tensor in node.inputs)
    return {tensor.name: tensor.array for tensor in read if tensor is not None and tensor.array is not None}


def _walk(builder: Builder) -> Iterator[Builder]:
    yield builder
    for node in builder.nodes:
        for value in node.attributes.values():
            if isinstance(value, Builder):
                yield from _walk(value)


def _graph(builder: Builder, name: str) -> onnx.GraphProto:
    from onnx import helper

    nodes = [
        helper.make_node(
            node.op_type,
            ["" if each is None else each.name for each in node.inputs],
            [each.name for each in node.outputs],
            name=node.outputs[0].name,
            domain=node.domain or None,
            **{key: _attribute(value) for key, value in node.attributes.items()},
        )
        for node in builder.nodes
    ]
    inputs = [_value_info(tensor, meta) for tensor, meta in builder.inputs]
    outputs = [_value_info(tensor, meta) for tensor, meta in builder.outputs]
    return helper.make_graph(nodes, name, inputs, outputs)


def _attribute(value: Attribute) -> Any:
    if isinstance(value, Builder):
        return _graph(value, "body")
    return _tensor_proto("", value) if isinstance(value, np.ndarray) else value


def _value_info(tensor: Tensor, meta: Meta | None) -> onnx.ValueInfoProto:
    from onnx import helper

    shape = None if meta is None or meta.shape is None else meta.shape
    dims = None if shape is None else [None if dim == UNKNOWN else dim for dim in shape]
    return helper.make_tensor_value_info(tensor.name, ONNX_CODES[tensor.dtype], dims)


def _tensor_proto(name: str, array: Array) -> onnx.TensorProto:
    from onnx import TensorProto

    proto = TensorProto()
    proto.name = name
    dtype = DType.from_numpy(array.dtype)
    proto.data_type = ONNX_CODES[dtype]
    proto.dims.extend(array.shape)
    if dtype is DType.STRING:
        proto.string_data.extend(str(item).encode() for item in array.reshape(-1))
    else:
        proto.raw_data = array.tobytes()
    return proto
