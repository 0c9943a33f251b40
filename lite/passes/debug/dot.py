"""A graph as DOT, the language of Graphviz."""

from __future__ import annotations

from typing import Any

from lite.ir.build import block_inputs
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import shape_text

MAX_ATTRIBUTE = 60
"""Characters of an attribute's text; a longer one is cut."""

_CLUSTER_COLORS = ("lightblue", "honeydew", "mistyrose", "lavender", "cornsilk", "azure", "seashell")


def dot_text(graph: Graph) -> str:
    """DOT with a yellow box for each op, an ellipse for each value (grey: a constant).

    Every version of a variable is a node of its own.  A nested graph is a cluster; dashed edges tie
    its arguments and results to the values they stand for.
    """
    import graphviz

    dot = graphviz.Digraph("G")
    _add_graph(dot, graph)
    return str(dot.source)


def _add_graph(dot: Any, graph: Graph) -> None:
    for value in (*graph.args, *graph.constants.values()):
        _add_value(dot, value)
    for node in graph:
        for value in node.all_outputs():
            _add_value(dot, value)
        _add_op(dot, node)
        for block in node.blocks:
            _add_block(dot, node, block)


def _add_op(dot: Any, node: Node) -> None:
    attributes = [f"{name}={_cut(repr(value))}" for name, value in node.attrs.items()]
    place = [f"@{node.place}"] if node.place is not None else []
    label = _label([node.op, *place, *attributes])
    dot.node(_op_id(node), label=label, shape="box", style="filled", fillcolor="yellow")
    for slot, values in node.inputs.items():
        for value in values:
            dot.edge(_value_id(value), _op_id(node), label=slot)
    for slot, values in node.outputs.items():
        for value in values:
            dot.edge(_op_id(node), _value_id(value), label=slot)


def _add_value(dot: Any, value: Value) -> None:
    label = _label([repr(value)[1:], f"{value.dtype or '?'}{shape_text(value.shape)}"])
    if value.is_constant:
        dot.node(_value_id(value), label=label, style="filled", fillcolor="lightgrey")
    else:
        dot.node(_value_id(value), label=label)


def _add_block(dot: Any, node: Node, block: Graph) -> None:
    color = _CLUSTER_COLORS[node.id % len(_CLUSTER_COLORS)]
    with dot.subgraph(name=f"cluster_{node.id}_{node.blocks.index(block)}") as cluster:
        cluster.attr(label=_label([f"{node.op}: {block.name}"]), style="filled", color=color)
        _add_graph(cluster, block)
    for outer, inner in zip(block_inputs(node), block.args, strict=False):
        dot.edge(_value_id(outer), _value_id(inner), style="dashed")
    for inner, outer in zip(block.results, node.all_outputs(), strict=False):
        dot.edge(_value_id(inner), _value_id(outer), style="dashed")


def _op_id(node: Node) -> str:
    return f"op{node.id}"


def _value_id(value: Value) -> str:
    return f"value{value.id}"


def _cut(text: str) -> str:
    return text if len(text) <= MAX_ATTRIBUTE else f"{text[:MAX_ATTRIBUTE]}…"


def _label(lines: list[str]) -> str:
    # Line breaks are DOT's, everything else stands for itself.
    return r"\n".join(line.replace("\\", r"\\") for line in lines)
