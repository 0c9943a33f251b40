"""Interprets graphs in any domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.ir.build import CONDITIONAL, WHILE
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import NO_LOD
from tests.support.interpreter.domain import Domain, V


def interpret_graph(graph: Graph, arguments: Sequence[V], domain: Domain[V]) -> list[V]:
    """The results of a graph, in order."""
    values: dict[Value, V] = dict(zip(graph.args, arguments, strict=True))
    for value in graph.constants.values():
        assert value.data is not None
        values[value] = domain.constant(value.data, NO_LOD)
    for node in graph:
        values.update(zip(node.all_outputs(), _run_node(node, values, domain), strict=True))
    return [values[value] for value in graph.results]


def _run_node(node: Node, values: Mapping[Value, V], domain: Domain[V]) -> list[V]:
    inputs = {slot: [values[value] for value in read] for slot, read in node.inputs.items()}
    if node.op == WHILE:
        return _while(node, [*inputs["Condition"], *inputs.get("X", [])], domain)
    if node.op in CONDITIONAL:
        return _conditional(node, inputs, domain)
    counts = {slot: len(written) for slot, written in node.outputs.items()}
    outputs = domain.op(node.op, inputs, node.attrs, counts)
    return [value for slot in node.outputs for value in outputs[slot]]


def _while(node: Node, current: list[V], domain: Domain[V]) -> list[V]:
    iterations = 0
    while domain.holds(current[0]) and iterations != domain.most_iterations:
        current[: node.carried] = interpret_graph(node.blocks[0], current, domain)
        iterations += 1
    return current[: node.carried]


def _conditional(node: Node, inputs: Mapping[str, Sequence[V]], domain: Domain[V]) -> list[V]:
    read = inputs.get("Input", [])
    if all(domain.holds(condition) for condition in inputs["Cond"]):
        return interpret_graph(node.blocks[0], read, domain)
    missing = len(list(node.all_outputs())) - node.carried
    return [*read[: node.carried], *(domain.initial(is_array=False) for _ in range(missing))]
