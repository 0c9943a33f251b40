"""Bisection: finds the op that a device's compiler fails on, if the compiler does not name it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lite.errors import CompileError
from lite.ir.clone import add_arg_like, copy_nodes
from lite.ir.graph import Graph, Node, Value
from lite.ops import Meta
from lite.ops.infer_graph import infer_metas
from lite.plan import Region

MAX_COMPILES = 12
"""Most parts to compile: enough for regions of some thousand ops."""

Compile = Callable[[Graph, tuple[Meta, ...]], object]


def find_failing_op(region: Region, metas: Sequence[Meta], compile_part: Compile) -> str | None:
    """The name of the first op of a region that cannot be compiled together with the ops before it.

    An error that names an op ends the search.  None if every prefix compiles, or after `MAX_COMPILES`
    attempts.
    """
    nodes = list(region.graph)
    arg_metas = dict(zip(region.graph.args, metas, strict=True))
    good, bad = 0, len(nodes)
    for _ in range(MAX_COMPILES):
        if bad - good <= 1:
            break
        middle = (good + bad) // 2
        part, signature = _prefix(region.graph, nodes[:middle], arg_metas)
        try:
            compile_part(part, signature)
            good = middle
        except CompileError as error:
            if error.op is not None:
                return error.op
            bad = middle
    return nodes[bad - 1].label if bad - good == 1 else None


def _prefix(
    graph: Graph, nodes: Sequence[Node], arg_metas: Mapping[Value, Meta]
) -> tuple[Graph, tuple[Meta, ...]]:
    """The graph of a region's first ops, and its signature.

    Its results are the values that are read outside these ops, or not at all.
    """
    prefix = set(nodes)
    part = Graph(name=graph.name)
    values: dict[Value, Value] = {arg: add_arg_like(part, arg) for arg in graph.args}
    copy_nodes(nodes, part, values)
    outputs = [
        value
        for node in nodes
        for value in node.all_outputs()
        if value.is_result or not prefix.issuperset(value.users) or not value.users
    ]
    part.set_results((values[value] for value in outputs), (value.label for value in outputs))
    part_metas = {values[arg]: meta for arg, meta in arg_metas.items()}
    infer_metas(part, part_metas)
    return part, tuple(part_metas.values())
