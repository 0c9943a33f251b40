"""Graph: one block in static single assignment form, with edits that keep it consistent.

Each `Value` is defined once: as an argument or a constant of its `Graph`, or as an output of one `Node`.
A variable that the program writes twice becomes two values with the same name and different versions
(R. Cytron et al., "Efficiently computing static single assignment form and the control dependence
graph", 1991).  Values and nodes have ids, which a graph and its nested graphs never use twice.  Passes
visit values and nodes in the order of the list or of the ids, so their results are deterministic.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from lite.errors import GraphError
from lite.ir.node import Node, Quant, Rounding, Value
from lite.ir.program import AttrValue
from lite.ir.types import Array, DType

__all__ = ["SUBGRAPH", "Graph", "Ids", "Node", "Quant", "Rounding", "Value"]

SUBGRAPH = "subgraph"
"""The op that stands for a region: a device runs its nested graph."""


class Ids:
    """A counter for ids that a graph shares with its nested graphs."""

    def __init__(self) -> None:
        self._next = 0

    def next(self) -> int:
        """The next id."""
        self._next += 1
        return self._next


class Graph:
    """Arguments, constants by name, nodes in running order, and results.

    Iterating over a graph yields its nodes and survives edits: erased nodes are skipped, and nodes that
    are inserted after the current node are visited.  A result has a name of its own, which it keeps when
    a pass replaces its value.  Values that the user asked to keep are results, too.
    """

    def __init__(self, ids: Ids | None = None, name: str = "main") -> None:
        self.name = name
        self.ids = ids or Ids()
        self.args: list[Value] = []
        self.constants: dict[str, Value] = {}
        self.result_names: list[str] = []
        self._results: list[Value] = []
        self._first: Node | None = None
        self._last: Node | None = None
        self._count = 0
        self._versions: dict[str, int] = {}

    def __iter__(self) -> Iterator[Node]:
        node = self._first
        while node is not None:
            yield node
            while node is not None and node.graph is not self:
                node = node.previous
            node = self._first if node is None else node.next

    def __reversed__(self) -> Iterator[Node]:
        node = self._last
        while node is not None:
            yield node
            while node is not None and node.graph is not self:
                node = node.next
            node = self._last if node is None else node.previous

    def __len__(self) -> int:
        return self._count

    @property
    def results(self) -> tuple[Value, ...]:
        """The values the graph returns, in order."""
        return tuple(self._results)

    def set_results(self, values: Iterable[Value], names: Iterable[str] | None = None) -> None:
        """Set the values that the graph returns and their names, by default the present names.

        Raises `GraphError` unless there are as many names as values.
        """
        results = list(values)
        result_names = self.result_names if names is None else list(names)
        if len(result_names) != len(results):
            raise GraphError(f"{len(results)} results have {len(result_names)} names")
        for value in self._results:
            value.result_count -= 1
        for value in results:
            value.result_count += 1
        self._results, self.result_names = results, result_names

    def walk(self, *, regions: bool = False) -> Iterator[Graph]:
        """This graph and all graphs nested in it, outer first; the graphs of regions only on request."""
        yield self
        for node in self:
            if regions or node.op != SUBGRAPH:
                for block in node.blocks:
                    yield from block.walk(regions=regions)

    def new_value(self, name: str, like: Value | None = None, *, version: int | None = None) -> Value:
        """A new value without a producer, of the type of `like`; by default its version is unused."""
        newest = self._versions.get(name, -1)
        if version is None:
            version = newest + 1
        self._versions[name] = max(version, newest)
        value = Value(self, name, version)
        if like is not None:
            value.copy_type(like)
        return value

    def unique_name(self, base: str) -> str:
        """`base` if no value of this graph has that name, or else `base` with the first free number."""
        if base not in self._versions:
            return base
        return next(name for n in itertools.count(1) if (name := f"{base}_{n}") not in self._versions)

    def rename(self, value: Value, base: str) -> None:
        """Give a value that is no constant a `unique_name`, since it no longer has its variable's numbers."""
        value.name, value.version = self.unique_name(base), 0
        self._versions[value.name] = 0

    def add_arg(self, name: str) -> Value:
        """Append a new argument."""
        value = self.new_value(name)
        self.args.append(value)
        return value

    def add_constant(self, name: str, data: Array) -> Value:
        """A new constant with a `unique_name` and a read-only view of `data`."""
        data = np.asarray(data)  # a numpy scalar has no memory of its own
        if data.flags.writeable:
            data = data.view()
            data.flags.writeable = False
        value = self.new_value(self.unique_name(name))
        value.data, value.shape, value.dtype = data, data.shape, DType.from_numpy(data.dtype)
        self.constants[value.name] = value
        return value

    def add_node(
        self,
        op: str,
        inputs: Mapping[str, Sequence[Value]],
        outputs: Mapping[str, Sequence[str | Value]],
        attrs: Mapping[str, AttrValue] | None = None,
        *,
        before: Node | None = None,
    ) -> Node:
        """A new node at the end of the graph, or before another node.

        For an output that is a string, a new value of that name is made; an output that is a value must
        not have a producer.  Empty slots are left out.  Raises `GraphError` for a value that has one, and
        for a node `before` that is not in this graph.
        """
        for output in itertools.chain.from_iterable(outputs.values()):
            if isinstance(output, Value) and output.producer is not None:
                raise GraphError(f"{op}: output {output!r} is already written by {output.producer!r}")
        self._check_owns(before)
        node = Node(self, op)
        node.attrs = dict(attrs or {})
        for slot, values in inputs.items():
            node.set_input(slot, values)
        for slot, names in outputs.items():
            if names:
                node.outputs[slot] = [self._output(node, name) for name in names]
        self._link(node, before)
        return node

    def replace_uses(self, old: Value, new: Value) -> None:
        """Replace `old` by `new` in all inputs and results."""
        for user in list(old.users):
            for slot, values in list(user.inputs.items()):
                if old in values:
                    user.set_input(slot, [new if value is old else value for value in values])
        if old.result_count:
            self.set_results(new if value is old else value for value in self.results)

    def replace_all_uses(self, replacements: Mapping[Value, Value]) -> None:
        """`replace_uses` of many values, in time linear in the inputs of the nodes that read them.

        A replacement is not itself replaced.
        """
        users = dict.fromkeys(user for old in replacements for user in old.users)
        for user in users:
            for slot, values in list(user.inputs.items()):
                if not replacements.keys().isdisjoint(values):
                    user.set_input(slot, [replacements.get(value, value) for value in values])
        if any(old.result_count for old in replacements):
            self.set_results(replacements.get(value, value) for value in self.results)

    def erase(self, node: Node) -> None:
        """Remove a node; raises `GraphError` if an output is used or the node is not in this graph."""
        self._check_owns(node)
        for value in node.all_outputs():
            if value.is_used:
                raise GraphError(f"cannot erase {node!r}: its output {value!r} is still used")
        for slot in list(node.inputs):
            node.set_input(slot, ())
        before, after = node.previous, node.next
        if before is None:
            self._first = after
        else:
            before.next = after
        if after is None:
            self._last = before
        else:
            after.previous = before
        self._count -= 1
        node.graph = _ERASED

    def reorder(self, nodes: Sequence[Node]) -> None:
        """Put the nodes in this order; raises `GraphError` unless it has every node of the graph once."""
        if len(nodes) != self._count or set(nodes) != set(self):
            raise GraphError(
                f"graph {self.name}: the new order must have each of its {self._count} nodes once"
            )
        for before, node in zip([None, *nodes], nodes, strict=False):
            node.previous = before
            if before is not None:
                before.next = node
        if nodes:
            self._first, self._last, nodes[-1].next = nodes[0], nodes[-1], None

    def drop_unused_constants(self) -> bool:
        """Remove the constants that nothing uses; whether there were any."""
        unused = [name for name, value in self.constants.items() if not value.is_used]
        for name in unused:
            del self.constants[name]
        return bool(unused)

    def effect_edges(self) -> Iterator[tuple[Node, Node]]:
        """Pairs of consecutive nodes with an effect; the first must run before the second."""
        return itertools.pairwise(node for node in self if node.effect)

    def _check_owns(self, node: Node | None) -> None:
        if node is not None and node.graph is not self:
            raise GraphError(f"{node!r} is not in graph {self.name} (its graph: {node.graph.name})")

    def _output(self, node: Node, output: str | Value) -> Value:
        value = self.new_value(output) if isinstance(output, str) else output
        value.producer = node
        return value

    def _link(self, node: Node, before: Node | None) -> None:
        node.next = before
        node.previous = self._last if before is None else before.previous
        if node.previous is None:
            self._first = node
        else:
            node.previous.next = node
        if before is None:
            self._last = node
        else:
            before.previous = node
        self._count += 1


_ERASED = Graph(name="erased")
"""The graph to which erased nodes belong."""
