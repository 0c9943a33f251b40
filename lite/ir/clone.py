"""Copies of graphs and of nodes; the copies share the arrays of constants."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping

from lite.ir.graph import Graph, Node, Value


def clone_graph(graph: Graph) -> Graph:
    """A copy of a graph and the graphs nested in it, with ids of its own."""
    return _clone(graph, Graph(name=graph.name))


def copy_nodes(
    nodes: Iterable[Node], into: Graph, values: MutableMapping[Value, Value], before: Node | None = None
) -> None:
    """Append copies of `nodes` to the graph `into`, or insert them before one of its nodes.

    Outputs of inserted nodes get versions of their own.

    `values` maps values that the nodes read to values of `into`; constants that it lacks are copied.  The
    outputs of the nodes are added to it.
    """
    for node in nodes:
        for value in node.all_inputs():
            if value.data is not None and value not in values:
                values[value] = _constant(into, value)
        copy = into.add_node(
            node.op,
            {slot: [values[value] for value in inputs] for slot, inputs in node.inputs.items()},
            {
                slot: [_output(into, value, values, before) for value in outputs]
                for slot, outputs in node.outputs.items()
            },
            node.attrs,
            before=before,
        )
        copy.effect, copy.place = node.effect, node.place
        copy.blocks = [_clone(block, Graph(into.ids, block.name)) for block in node.blocks]


def copy_block(
    block: Graph, into: Graph, inputs: Iterable[Value], before: Node, nodes: Iterable[Node] | None = None
) -> dict[Value, Value]:
    """Copy the nodes of a sub-block, or only `nodes`, before a node of `into`; `inputs` are its arguments.

    Returns the values of `into` for those of the block.
    """
    values = {value: add_constant_like(into, value) for value in block.constants.values()}
    values.update(zip(block.args, inputs, strict=True))
    copy_nodes(block if nodes is None else nodes, into, values, before=before)
    return values


def add_arg_like(into: Graph, value: Value) -> Value:
    """A new argument of a graph with the name, version and type of `value`."""
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


def _output(into: Graph, value: Value, values: MutableMapping[Value, Value], before: Node | None) -> Value:
    values[value] = _named(into, value) if before is None else into.new_value(value.name, value)
    return values[value]


def add_constant_like(into: Graph, value: Value) -> Value:
    """A new constant of a graph with the array and type of `value`, under a name that is not in use."""
    if value.data is None:
        raise AssertionError(f"{value!r} is not constant")
    constant = into.add_constant(value.name, value.data)
    constant.copy_type(value)
    return constant


def _named(into: Graph, value: Value) -> Value:
    return into.new_value(value.name, value, version=value.version)
