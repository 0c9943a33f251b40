"""What ONNX's own inference finds of dtypes and shapes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

import onnx
from onnx import shape_inference

_LARGE = 1024
"""Bytes; shapes and axes, which inference reads, are smaller."""

_MOST_AXES = 1024
"""No tensor has more: where a vector that is longer is taken as a shape, inference would need much memory."""


def infer_types(model: onnx.ModelProto) -> onnx.GraphProto:
    """The graph with the types that are found; the model's own graph where inference fails.

    `model` is used up: its large initialisers are emptied, since inference takes a copy, and long vectors
    lose their length.
    """
    for tensor in model.graph.initializer:
        if len(tensor.raw_data) > _LARGE:
            tensor.ClearField("raw_data")
    _shorten(model.graph)
    with contextlib.suppress(shape_inference.InferenceError, ValueError, RuntimeError):
        return shape_inference.infer_shapes(model, data_prop=True).graph
    return model.graph


def nested_graphs(node: onnx.NodeProto) -> Iterable[onnx.GraphProto]:
    """The graphs in a node's attributes."""
    for attr in node.attribute:
        if attr.type == onnx.AttributeProto.GRAPH:
            yield attr.g
        yield from attr.graphs


def _shorten(graph: onnx.GraphProto) -> None:
    for value in (*graph.input, *graph.output, *graph.value_info):
        dims = value.type.tensor_type.shape.dim
        if len(dims) == 1 and dims[0].dim_value > _MOST_AXES:
            dims[0].Clear()
    for node in graph.node:
        for nested in nested_graphs(node):
            _shorten(nested)
