"""Copies of graphs and of parts of them; the arrays of constants are shared."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping

from lite.ir.graph import Graph, Node, Value


def clone_graph(graph: Graph) -> Graph:
    """A graph of its own that equals `graph`, nested graphs included."""
    return _clone(graph, Graph(name=graph.name))


def copy_nodes(nodes: Iterable[Node], into: Graph, values: MutableMapping[Value, Value]) -> None:
    """Append copies of `nodes` to a graph.

    `values` maps what they read to the values of that graph, and gets what they write; a constant that
    is not in it is copied, too.
    """
    for node in nodes:
        for value in node.all_inputs():
            if value.data is not None and value not in values:
                values[value] = _constant(into, value)
        copy = into.add_node(
            node.op,
            {slot: [values[value] for value in found] for slot, found in node.inputs.items()},
            {
                slot: [_written(into, value, values) for value in found]
                for slot, found in node.outputs.items()
            },
            node.attrs,
        )
        copy.effect, copy.place = node.effect, node.place
        copy.blocks = [_clone(block, Graph(into.ids, block.name)) for block in node.blocks]


def add_arg_like(into: Graph, value: Value) -> Value:
    """A new argument of a graph that is called, and typed, like `value`."""
    arg = _named(into, value)
    into.args.append(arg)
    return arg


def _clone(graph: Graph, into: Graph) -> Graph:
    values: dict[Value, Value] = {arg: add_arg_like(into, arg) for arg in graph.args}
    for constant in graph.constants.values():
        values[constant] = _constant(into, constant)
    copy_nodes(graph, into, values)
    into.set_results((values[value] for value in graph.results), graph.result_names)
    return into


def _constant(into: Graph, value: Value) -> Value:
    copy = _named(into, value)
    copy.data = value.data
    into.constants[copy.name] = copy
    return copy


def _written(into: Graph, value: Value, values: MutableMapping[Value, Value]) -> Value:
    values[value] = _named(into, value)
    return values[value]


def _named(into: Graph, value: Value) -> Value:
    return into.new_value(value.name, value, version=value.version)
