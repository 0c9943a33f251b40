"""Where a model with ops that cannot be written may be cut: the largest part before them."""

from __future__ import annotations

from collections.abc import Collection

from lite.ir.graph import Graph, Node

_MOST_NAMES = 8


def nearest_cut(graph: Graph, refused: Collection[str]) -> str:
    """A sentence that names the variables at which the rest may continue on the host.

    `graph` is the model before all passes, `refused` the names of variables that ops write which cannot be
    written as code; ops that depend on them are on the other side of the cut.
    """
    bad: set[Node] = set()
    for node in graph:
        names = (value.name for value in node.all_outputs())
        before = (value.producer for value in node.all_inputs())
        if any(name in refused for name in names) or any(each in bad for each in before if each is not None):
            bad.add(node)
    good = [node for node in graph if node not in bad]
    outputs = (value for node in good for value in node.all_outputs())
    edge = [value for value in outputs if value.is_result or any(user in bad for user in value.users)]
    if not bad or not edge:
        return "No part of the model comes before them."
    options = " ".join(
        f"--output {name}" for name in dict.fromkeys(value.name for value in edge[:_MOST_NAMES])
    )
    more = f" and {len(edge) - _MOST_NAMES} more" if len(edge) > _MOST_NAMES else ""
    return (
        f"{len(good)} of the model's {len(graph)} ops do not depend on them: build that part alone with "
        f"{options}{more}, and run the rest on the host."
    )
