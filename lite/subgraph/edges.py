"""Other forms of the values at the edges of regions: ops before and after regions convert and restore them.

::

    %b = subgraph(Inputs=%a)           %t = convert(%a)
    %c = subgraph(Inputs=[%a, %b])  →  %s = subgraph(Inputs=%t)
    %y = softmax(X=%c)                 %u = subgraph(Inputs=[%t, %s])
                                       %c = restore(%u)
                                       %y = softmax(X=%c)

Readers share the other form of a value.  A value that one region writes and another reads keeps it between
them.  The graphs of the regions begin with ops that restore, and end with ops that convert, so that the host
computes the same with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from lite.ir.graph import Graph, Node, Value


class EdgeForm(Protocol):
    """Another form of a value at an edge."""

    def like(self, graph: Graph, value: Value) -> Value:
        """A new value of this form, which nothing writes."""

    def convert(self, graph: Graph, value: Value, out: Value, before: Node | None) -> Node:
        """A new node, at the end or before another, that writes a value in this form to `out`."""

    def restore(self, graph: Graph, value: Value, out: Value, before: Node | None) -> Node:
        """The reverse of `convert`."""


Choice = Callable[[Value, Value], EdgeForm | None]
"""The form of an input or output of a region; from the value outside and inside of the region."""


def change_edges(graph: Graph, regions: Sequence[Node], choice_of: Callable[[Node], Choice]) -> None:
    """Change the inputs and outputs of regions, given in any order; `choice_of` is asked for each region."""
    edges = _Edges(graph)
    chosen = set(regions)
    for node in list(graph):
        if node in chosen:
            choice = choice_of(node)
            edges.change_inputs(node, choice)
            edges.change_outputs(node, choice)
    for node in edges.restoring:
        if not node.output().is_used:
            graph.erase(node)


class _Edges:
    """`changed` are the other forms of values, `restoring` the ops after regions."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.changed: dict[Value, Value] = {}
        self.restoring: list[Node] = []

    def change_inputs(self, region: Node, choice: Choice) -> None:
        """Let the region read the other forms; its graph restores them."""
        inner = region.blocks[0]
        inputs = list(region.inputs.get("Inputs", ()))
        for n, value in enumerate(inputs):
            argument = inner.args[n]
            form = choice(value, argument)
            if form is None:
                continue
            if value not in self.changed:
                self.changed[value] = form.like(self.graph, value)
                form.convert(self.graph, value, self.changed[value], region)
            inputs[n] = self.changed[value]
            inner.args[n] = form.like(inner, argument)
            form.restore(inner, inner.args[n], argument, next(iter(inner), None))
        region.set_input("Inputs", inputs)

    def change_outputs(self, region: Node, choice: Choice) -> None:
        """Let the region write the other forms; ops after it restore them for other readers."""
        inner, after = region.blocks[0], region.next
        results = list(inner.results)
        for n, value in enumerate(list(region.outputs["Outputs"])):
            form = choice(value, results[n])
            if form is None:
                continue
            converted = form.like(inner, results[n])
            form.convert(inner, results[n], converted, None)
            results[n] = converted
            other = form.like(self.graph, value)
            other.producer = region
            region.outputs["Outputs"][n] = other
            value.producer = None
            self.restoring.append(form.restore(self.graph, other, value, after))
            self.changed[value] = other
        inner.set_results(results)
