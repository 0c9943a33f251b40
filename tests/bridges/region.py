"""A region, written as text, and its results on the host, op by op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lite.ir.graph import Graph, Value
from lite.ir.text import parse_graph
from lite.ir.types import Array
from lite.ops.infer_graph import infer_graph
from lite.plugin.device import Signature, meta_of
from lite.plugin.kernel import evaluate


def region(text: str) -> Graph:
    """A graph from text, with the shapes that follow from its arguments."""
    graph = parse_graph(text)
    infer_graph(graph)
    return graph


def signature_of(graph: Graph) -> Signature:
    """The metas of the graph's arguments."""
    return tuple(meta_of(arg) for arg in graph.args)


def on_host(text: str, inputs: Sequence[Array]) -> list[Array]:
    """The results of a region, each op run by its host kernel; `inputs` are in the order of the arguments."""
    graph = region(text)
    arrays: dict[Value, Any] = dict(zip(graph.args, inputs, strict=True))
    arrays.update((value, value.data) for value in graph.constants.values())
    for node in graph:
        node_inputs = {slot: [arrays[value] for value in values] for slot, values in node.inputs.items()}
        counts = {slot: len(values) for slot, values in node.outputs.items()}
        results = evaluate(node.op, node_inputs, node.attrs, counts)
        for slot, values in node.outputs.items():
            arrays.update(zip(values, (result.array for result in results[slot]), strict=True))
    return [arrays[value] for value in graph.results]
