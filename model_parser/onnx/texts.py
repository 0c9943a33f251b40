"""Names have to be text: protobuf hands one that is not UTF-8 over as bytes."""

from __future__ import annotations

from collections.abc import Iterable

import onnx

from lite.errors import ModelParseError
from lite.model_parser.onnx.nested_graphs import nested_graphs


def check_texts(model: onnx.ModelProto, source: str) -> None:
    """Raise `ModelParseError` for a name, op type or domain that is not UTF-8."""
    for text in _texts(model):
        if not isinstance(text, str):
            raise ModelParseError(
                f"{source}: expected names in UTF-8, got {text[:60]!r}; the file is damaged: copy or export "
                "it again"
            )


def _texts(model: onnx.ModelProto) -> Iterable[str]:
    yield from (entry.domain for entry in model.opset_import)
    for function in model.functions:
        yield from (function.name, function.domain, *function.input, *function.output, *function.attribute)
        yield from (attr.name for attr in function.attribute_proto)
        yield from (entry.domain for entry in function.opset_import)
        yield from _of_nodes(function.node)
    yield from _of_graph(model.graph)


def _of_graph(graph: onnx.GraphProto) -> Iterable[str]:
    for value in (*graph.input, *graph.output, *graph.value_info):
        yield value.name
        yield from (dim.dim_param for dim in value.type.tensor_type.shape.dim)
    yield from (tensor.name for tensor in graph.initializer)
    yield from (sparse.values.name for sparse in graph.sparse_initializer)
    yield from _of_nodes(graph.node)


def _of_nodes(nodes: Iterable[onnx.NodeProto]) -> Iterable[str]:
    for node in nodes:
        yield from (node.op_type, node.domain, node.name, *node.input, *node.output)
        for attr in node.attribute:
            yield from (attr.name, attr.ref_attr_name)
        for graph in nested_graphs(node):
            yield from _of_graph(graph)
