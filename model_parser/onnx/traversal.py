"""Traversal of a model: its nested graphs, its nodes and its strings."""

from __future__ import annotations

from collections.abc import Iterable

from lite.errors import ModelParseError
from lite.model_parser.onnx.messages import AttributeProto, GraphProto, ModelProto, NodeProto


def nested_graphs(node: NodeProto) -> Iterable[GraphProto]:
    """The graphs in a node's attributes: the body of a Loop, the branches of an If."""
    for attr in node.attribute:
        if attr.type == AttributeProto.GRAPH:
            yield attr.g
        yield from attr.graphs


def all_nodes(nodes: Iterable[NodeProto]) -> Iterable[NodeProto]:
    """The nodes and those of their nested graphs."""
    for node in nodes:
        yield node
        for graph in nested_graphs(node):
            yield from all_nodes(graph.node)


def initialiser_names(graph: GraphProto) -> list[str]:
    """The names of the dense initialisers, then of the sparse ones, whose values carry the name."""
    dense = [tensor.name for tensor in graph.initializer]
    return [*dense, *(sparse.values.name for sparse in graph.sparse_initializer)]


def check_strings(model: ModelProto, source: str) -> None:
    """Raise `ModelParseError` for a name that is not UTF-8, which protobuf returns as bytes."""
    for text in _model_strings(model):
        if not isinstance(text, str):
            raise ModelParseError(
                f"{source}: expected names in UTF-8, got {text[:60]!r}; the file is damaged: copy or export "
                "it again"
            )


def _model_strings(model: ModelProto) -> Iterable[str]:
    yield from (entry.domain for entry in model.opset_import)
    for function in model.functions:
        yield from (function.name, function.domain, *function.input, *function.output, *function.attribute)
        yield from (attr.name for attr in function.attribute_proto)
        yield from (entry.domain for entry in function.opset_import)
        yield from _node_strings(function.node)
    yield from _graph_strings(model.graph)


def _graph_strings(graph: GraphProto) -> Iterable[str]:
    for value in (*graph.input, *graph.output, *graph.value_info):
        yield value.name
        yield from (dim.dim_param for dim in value.type.tensor_type.shape.dim)
    yield from initialiser_names(graph)
    yield from _node_strings(graph.node)


def _node_strings(nodes: Iterable[NodeProto]) -> Iterable[str]:
    for node in nodes:
        yield from (node.op_type, node.domain, node.name, *node.input, *node.output)
        for attr in node.attribute:
            yield from (attr.name, attr.ref_attr_name)
        for graph in nested_graphs(node):
            yield from _graph_strings(graph)
