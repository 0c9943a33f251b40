"""Functions that a model defines itself, written out where they are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import onnx
from onnx import inliner
from onnx.checker import ValidationError
from onnx.shape_inference import InferenceError
from onnx.version_converter import ConvertError

from lite.errors import ModelParseError
from lite.model_parser.onnx.nested_graphs import nested_graphs

_MOST_NODES = 10**6
_DEEPEST = 100

Key = tuple[str, str]
"""The domain and name of a function."""


def inline_functions(model: onnx.ModelProto, source: str) -> onnx.ModelProto:
    """The model without functions of its own; the same object where it has none.

    Raises `ModelParseError` where they cannot be written out: they call each other in a circle, are
    more than a million nodes then, or use another opset that cannot be converted.
    """
    if not model.functions:
        return model
    functions = {(function.domain, function.name): function for function in model.functions}
    count = _expanded(_all_nodes(model.graph.node), functions, {}, (), source)
    if count > _MOST_NODES:
        raise ModelParseError(
            f"{source}: {count} nodes where the model's own functions are written out, expected at most "
            f"{_MOST_NODES}"
        )
    try:
        inlined: onnx.ModelProto = inliner.inline_local_functions(model, convert_version=True)
    except (RuntimeError, ValueError, ValidationError, InferenceError, ConvertError) as error:
        names = ", ".join(sorted(function.name for function in model.functions))
        raise ModelParseError(
            f"{source}: the model's own functions cannot be written out: {names}: {error}"
        ) from error
    return inlined


def _expanded(
    nodes: Iterable[onnx.NodeProto],
    functions: Mapping[Key, onnx.FunctionProto],
    sizes: dict[Key, int],
    path: tuple[Key, ...],
    source: str,
) -> int:
    """How many nodes there are when all calls are written out; `path` are the functions around."""
    total = 0
    for node in nodes:
        key = (node.domain, node.op_type)
        function = functions.get(key)
        if function is None:
            total += 1
            continue
        if key in path or len(path) > _DEEPEST:
            circle = " calls ".join(f"{domain}.{name}" for domain, name in (*path, key)[-5:])
            what = "a circle" if key in path else f"calls more than {_DEEPEST} deep"
            raise ModelParseError(f"{source}: the model's own functions: {what}: {circle}")
        if key not in sizes:
            sizes[key] = _expanded(_all_nodes(function.node), functions, sizes, (*path, key), source)
        total += sizes[key]
    return total


def _all_nodes(nodes: Iterable[onnx.NodeProto]) -> Iterable[onnx.NodeProto]:
    for node in nodes:
        yield node
        for graph in nested_graphs(node):
            yield from _all_nodes(graph.node)
