"""Where a model with ops that cannot be written may be cut: the largest part before them."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.graph import Graph, Node, Value

_MOST_NAMES = 8


def nearest_cut(graph: Graph, refused: Sequence[Node]) -> str:
    """A sentence that names the values at which the rest may continue on the host."""
    bad: set[Node] = set(refused)
    for node in graph:
        if any(value.producer in bad for value in node.all_inputs() if value.producer is not None):
            bad.add(node)
    good = [node for node in graph if node not in bad]
    edge: list[Value] = [
        value
        for node in good
        for value in node.all_outputs()
        if value.is_result or any(user in bad for user in value.users)
    ]
    if not good or not edge:
        return "No part of the model comes before them."
    names = ", ".join(repr(value.name) for value in edge[:_MOST_NAMES])
    more = f" and {len(edge) - _MOST_NAMES} more" if len(edge) > _MOST_NAMES else ""
    return (
        f"The {len(good)} of {len(good) + len(bad)} ops that do not depend on them compute {names}{more}: "
        "build that part alone with --output NAME for each, and run the rest on the host."
    )
