"""Check that a graph keeps the rules of the IR, which hold between any two passes."""

from __future__ import annotations

from lite.errors import VerifyError
from lite.ir.graph import Graph, Node
from lite.ir.text_print import header_text, node_text, return_text
from lite.ir.verify_rules import GRAPH_RULES, MODEL_RULES, Rule

_CONTEXT = 3
"""Lines of text around a node in a message, on either side."""


def verify(graph: Graph) -> None:
    """Check every rule on a graph and the graphs nested in it, in linear time.

    Raises `VerifyError` at the first broken rule, with its name, the node and the text around it.
    """
    seen = {graph}
    pending = [graph]
    while pending:
        current = pending.pop()
        for rule in GRAPH_RULES:
            _check(rule, current)
        blocks = [block for node in current for block in node.blocks]
        for block in blocks:
            if block in seen:
                raise VerifyError(f"rule 'a graph is nested once': {block.name} is nested twice")
            seen.add(block)
        pending.extend(reversed(blocks))
    for rule in MODEL_RULES:
        _check(rule, graph)


def _check(rule: Rule, graph: Graph) -> None:
    for node, sentence in rule(graph):
        name = rule.__name__.replace("_", " ")
        where = f"graph {graph.name}" if node is None else f"graph {graph.name}, node {node!r}"
        raise VerifyError(f"rule '{name}': {where}: {sentence}\n{_around(graph, node)}")


def _around(graph: Graph, node: Node | None) -> str:
    """The text of a node and of its neighbours."""
    if node is None:
        return f"    {header_text(graph)}\n    {return_text(graph)}"
    lines = [f"  > {node_text(node)}"]
    before, after = node.previous, node.next
    for _ in range(_CONTEXT):
        if before is not None:
            lines.insert(0, f"    {node_text(before)}")
            before = before.previous
        if after is not None:
            lines.append(f"    {node_text(after)}")
            after = after.next
    return "\n".join(lines)
