"""Functions of a model itself: some nodes become calls of functions that hold them."""

from __future__ import annotations

import random
from collections.abc import Sequence

import onnx
from onnx import helper

DOMAIN = "fuzz.functions"


def with_functions(model: onnx.ModelProto, choices: random.Random) -> onnx.ModelProto:
    """The model in which some nodes are calls, one function in another at times; maybe none is."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    del made.graph.node[:]
    for node in model.graph.node:
        if choices.random() < 0.6 or not _may_be_called(node):
            made.graph.node.append(node)
            continue
        name = f"F{len(made.functions)}"
        made.functions.append(_function(name, node, model))
        if choices.random() < 0.3:
            inner = helper.make_node(name, _names("a", node.input), _names("r", node.output), domain=DOMAIN)
            name = f"F{len(made.functions)}"
            made.functions.append(_function(name, inner, model))
        made.graph.node.add().CopyFrom(
            helper.make_node(name, list(node.input), list(node.output), domain=DOMAIN)
        )
    if made.functions:
        made.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    return made


def _may_be_called(node: onnx.NodeProto) -> bool:
    """Whether all arguments and results of the node are there, and it has no sub-graph."""
    has_graph = any(attribute.HasField("g") or attribute.graphs for attribute in node.attribute)
    return not has_graph and all(node.input) and all(node.output) and bool(node.input)


def _names(prefix: str, names: Sequence[str]) -> list[str]:
    return [f"{prefix}{n}" for n in range(len(names))]


def _function(name: str, node: onnx.NodeProto, model: onnx.ModelProto) -> onnx.FunctionProto:
    """A function of one node."""
    inputs, outputs = _names("a", node.input), _names("r", node.output)
    inner = onnx.NodeProto()
    inner.CopyFrom(node)
    inner.input[:], inner.output[:] = inputs, outputs
    imports = [*model.opset_import, helper.make_opsetid(DOMAIN, 1)]
    return helper.make_function(DOMAIN, name, inputs, outputs, [inner], imports)
