"""Runs a graph op by op, so that a test can compare what it computes before and after a pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.ir.build import CONDITIONAL, WHILE
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import Array
from lite.plugin.kernel import evaluate


def run_graph(graph: Graph, feeds: Mapping[str, Array]) -> dict[str, Array]:
    """The results by name."""
    results = _run(graph, [feeds[value.name] for value in graph.args])
    return dict(zip(graph.result_names, results, strict=True))


def _run(graph: Graph, arguments: Sequence[Array]) -> list[Array]:
    arrays = dict(zip(graph.args, arguments, strict=True))
    for value in graph.constants.values():
        assert value.data is not None
        arrays[value] = value.data
    for node in graph:
        if node.op == WHILE:
            _store(node, _while(node, arrays), arrays)
        elif node.op in CONDITIONAL:
            _store(node, _conditional(node, arrays), arrays)
        else:
            _plain(node, arrays)
    return [arrays[value] for value in graph.results]


def _store(node: Node, results: Sequence[Array], arrays: dict[Value, Array]) -> None:
    arrays.update(zip(node.outputs["Out"], results, strict=True))


def _while(node: Node, arrays: Mapping[Value, Array]) -> list[Array]:
    values = [arrays[value] for value in (*node.inputs["Condition"], *node.inputs.get("X", ()))]
    carried = len(node.outputs["Out"])
    while values[0].all():
        values[:carried] = _run(node.blocks[0], values)
    return values[:carried]


def _conditional(node: Node, arrays: Mapping[Value, Array]) -> list[Array]:
    values = [arrays[value] for value in node.inputs.get("Input", ())]
    if all(arrays[value].all() for value in node.inputs["Cond"]):
        return _run(node.blocks[0], values)
    return values[: len(node.outputs["Out"])]


def _plain(node: Node, arrays: dict[Value, Array]) -> None:
    inputs = {slot: [arrays[value] for value in values] for slot, values in node.inputs.items()}
    outputs = {slot: len(values) for slot, values in node.outputs.items()}
    results = evaluate(node.op, inputs, node.attrs, outputs)
    for slot, values in node.outputs.items():
        for value, result in zip(values, results[slot], strict=True):
            arrays[value] = result.array
