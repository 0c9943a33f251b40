"""Graph: one block in static single assignment form, with edits that keep it consistent.

A `Value` is written once, by one `Node` or as an argument or constant of its `Graph`.  A variable that
the program writes twice becomes two values of one name with different versions.  Ids are never
reused within a graph and the graphs nested in it, and they order everything, so results are
deterministic.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lite.errors import GraphError
from lite.ir.node import Node, Quant, Value
from lite.ir.program import AttrValue
from lite.ir.types import Array, DType

__all__ = ["SUBGRAPH", "Graph", "Ids", "Node", "Quant", "Value"]

SUBGRAPH = "subgraph"
"""The op that stands for a region: its nested graph is what a device runs in its place."""


class Ids:
    """Hands out ids in order; shared by a graph and the graphs nested in it."""

    def __init__(self) -> None:
        self._next = 0

    def next(self) -> int:
        """A number that was never handed out before."""
        self._next += 1
        return self._next


class Graph:
    """Arguments, constants, nodes in an order in which they can run, and results.

    Iterating over a graph survives edits: nodes erased meanwhile are skipped, nodes inserted behind
    the current one are visited.  A result has a name of its own, which stays when a pass lets another
    value take its place; values that the user wants to keep are results, too.
    """

    def __init__(self, ids: Ids | None = None, name: str = "main") -> None:
        self.name = name
        self.ids = ids or Ids()
        self.args: list[Value] = []
        self.constants: dict[str, Value] = {}
        """Constants by name."""
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
        """Make `values` what the graph returns, under `names` (by default the names it had).

        Raises `GraphError` when there are not as many names as values.
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
        """This graph and all graphs nested in it, outer first; with `regions`, those of devices, too."""
        yield self
        for node in self:
            if regions or node.op != SUBGRAPH:
                for block in node.blocks:
                    yield from block.walk(regions=regions)

    def new_value(self, name: str, like: Value | None = None, *, version: int | None = None) -> Value:
        """A value without a producer: a new version where the name was used before, or an unused one."""
        newest = self._versions.get(name, -1)
        if version is None:
            version = newest + 1
        self._versions[name] = max(version, newest)
        value = Value(self, name, version)
        if like is not None:
            value.copy_type(like)
        return value

    def unique_name(self, base: str) -> str:
        """`base`, or `base` with the first number that makes it unused in this graph."""
        if base not in self._versions:
            return base
        return next(name for n in itertools.count(1) if (name := f"{base}_{n}") not in self._versions)

    def add_arg(self, name: str) -> Value:
        """A new argument, behind the others."""
        value = self.new_value(name)
        self.args.append(value)
        return value

    def add_constant(self, name: str, data: Array) -> Value:
        """A constant called `name` or, where that is taken, a numbered name; `data` becomes read-only."""
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
        """A new node at the end, or before another one.

        An output given as a name becomes a new value; one given as a value must have no producer.
        Empty slots are left out.
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
                node.outputs[slot] = [self._written(node, name) for name in names]
        self._link(node, before)
        return node

    def replace_uses(self, old: Value, new: Value) -> None:
        """Let every node that reads `old`, and the results, use `new` instead."""
        for user in list(old.users):
            for slot, values in list(user.inputs.items()):
                if old in values:
                    user.set_input(slot, [new if value is old else value for value in values])
        if old.result_count:
            self.set_results(new if value is old else value for value in self.results)

    def erase(self, node: Node) -> None:
        """Remove a node; raises `GraphError` when an output is still used or it is not in this graph."""
        self._check_owns(node)
        for value in node.all_outputs():
            if value.is_used:
                raise GraphError(f"cannot erase {node!r}: its output {value!r} is still used")
        for slot in list(node.inputs):
            node.set_input(slot, ())
        before, behind = node.previous, node.next
        if before is None:
            self._first = behind
        else:
            before.next = behind
        if behind is None:
            self._last = before
        else:
            behind.previous = before
        self._count -= 1
        node.graph = _ERASED

    def reorder(self, nodes: Sequence[Node]) -> None:
        """Let the graph's nodes stand in this order; raises `GraphError` when they are not exactly these."""
        if len(nodes) != self._count or set(nodes) != set(self):
            raise GraphError(f"graph {self.name} has {self._count} nodes, the new order other ones")
        for before, node in zip([None, *nodes], nodes, strict=False):
            node.previous = before
            if before is not None:
                before.next = node
        if nodes:
            self._first, self._last, nodes[-1].next = nodes[0], nodes[-1], None

    def drop_unused_constants(self) -> bool:
        """Forget constants that nobody reads; whether there were any."""
        unused = [name for name, value in self.constants.items() if not value.is_used]
        for name in unused:
            del self.constants[name]
        return bool(unused)

    def effect_edges(self) -> Iterator[tuple[Node, Node]]:
        """Pairs of effectful nodes of which the first must run before the second."""
        return itertools.pairwise(node for node in self if node.effect)

    def _check_owns(self, node: Node | None) -> None:
        if node is not None and node.graph is not self:
            raise GraphError(f"{node!r} is not in graph {self.name} (its graph: {node.graph.name})")

    def _written(self, node: Node, output: str | Value) -> Value:
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
"""The graph of erased nodes."""
