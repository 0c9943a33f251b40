"""Find the op that a device's compiler fails on, when it does not say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lite.errors import CompileError
from lite.ir.clone import add_arg_like, copy_nodes
from lite.ir.graph import Graph, Node, Value
from lite.ops import Meta
from lite.ops.infer_graph import infer_metas
from lite.plan import Region

MAX_COMPILES = 12
"""Most parts that are compiled to find the op: enough for regions of some thousand ops."""

Compile = Callable[[Graph, tuple[Meta, ...]], object]


def find_failing_op(region: Region, metas: Sequence[Meta], compile_part: Compile) -> str | None:
    """The name of the op at which the first ops of a region begin to fail, found by bisection.

    An error that names an op ends the search.  None when it is not one op: each prefix compiles, or
    the number of attempts is used up.
    """
    nodes = list(region.graph)
    shapes = _metas(region.graph, metas)
    good, bad = 0, len(nodes)
    for _ in range(MAX_COMPILES):
        if bad - good <= 1:
            break
        middle = (good + bad) // 2
        part, signature = _prefix(region.graph, nodes[:middle], shapes)
        try:
            compile_part(part, signature)
            good = middle
        except CompileError as error:
            if error.op is not None:
                return error.op
            bad = middle
    return nodes[bad - 1].label if bad - good == 1 else None


def _metas(graph: Graph, metas: Sequence[Meta]) -> Mapping[Value, Meta]:
    return dict(zip(graph.args, metas, strict=True))


def _prefix(
    graph: Graph, nodes: Sequence[Node], shapes: Mapping[Value, Meta]
) -> tuple[Graph, tuple[Meta, ...]]:
    """A graph of the first ops of a region, which returns all that the others, or nobody, read."""
    inside = set(nodes)
    part = Graph(name=graph.name)
    values: dict[Value, Value] = {arg: add_arg_like(part, arg) for arg in graph.args}
    copy_nodes(nodes, part, values)
    outputs = [
        value
        for node in nodes
        for value in node.all_outputs()
        if value.is_result or not inside.issuperset(value.users) or not value.users
    ]
    part.set_results((values[value] for value in outputs), (value.label for value in outputs))
    given = {values[arg]: meta for arg, meta in shapes.items()}
    infer_metas(part, given)
    return part, tuple(given.values())
