"""known_sizes_first: an order of a block's nodes in which those of unknown sizes come last."""

from __future__ import annotations

from lite.ir.graph import Graph, Node


def known_sizes_first(graph: Graph) -> list[Node]:
    """The nodes with those at the end that have results of unknown sizes, or read what these compute.

    A run binds a plan up to a node whose sizes only the run decides: so the counters and conditions of a loop
    that grows a value are bound with the ops before that value.  Both parts keep their order, and so do all
    nodes where one of them has an effect::

        %y = concat(X=[%found, %row])    ->  %n = increment(X=%i)
        %n = increment(X=%i)                 %y = concat(X=[%found, %row])
    """
    nodes = [*graph]
    if any(node.effect for node in nodes):
        return nodes
    late: set[Node] = set()
    for node in nodes:
        is_open = any(
            value.shape is None or not all(isinstance(dim, int) for dim in value.shape)
            for value in node.all_outputs()
        )
        if is_open or any(value.producer in late for value in node.all_inputs()):
            late.add(node)
    return [node for node in nodes if node not in late] + [node for node in nodes if node in late]
