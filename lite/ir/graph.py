"""Graph: one block in static single assignment form, with edits that keep it consistent.

A `Value` is written once, by one `Node` or as an argument or constant of its `Graph`.  A variable that
the program writes twice becomes two values of one name with different versions.  Ids are never
reused within a graph and the graphs nested in it, and they order everything, so results are
deterministic.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lite.errors import GraphError
from lite.ir.program import AttrValue, VarKind
from lite.ir.types import DType, Place, Shape


@dataclass(frozen=True)
class Quant:
    """How stored integers stand for real numbers: ``real = (stored - zero_point) * scale``.

    One scale and zero point for the whole tensor, or one per index of `axis`.
    """

    scale: tuple[float, ...]
    zero_point: tuple[int, ...]
    axis: int
    storage: DType


class Value:
    """One version of a variable.

    `data` is the array of a constant, else None; it is read-only and may be shared by several values.
    `shape` is None when even the rank is unknown.
    """

    __slots__ = (
        "data",
        "dtype",
        "graph",
        "id",
        "kind",
        "lod_level",
        "name",
        "place",
        "producer",
        "quant",
        "result_count",
        "shape",
        "users",
        "version",
    )

    def __init__(self, graph: Graph, name: str, version: int = 0) -> None:
        self.graph = graph
        self.id = graph.ids.next()
        self.name = name
        self.version = version
        self.kind = VarKind.TENSOR
        self.dtype: DType | None = None
        self.shape: Shape | None = None
        self.lod_level = 0
        self.place: Place | None = None
        self.quant: Quant | None = None
        self.data: np.ndarray | None = None
        self.producer: Node | None = None
        self.users: dict[Node, int] = {}
        """Nodes that read this value, with how many of their input positions do."""
        self.result_count = 0
        """How many times this value stands in the results of its graph."""

    @property
    def is_constant(self) -> bool:
        """Whether the value is known before the first run."""
        return self.data is not None

    @property
    def is_result(self) -> bool:
        """Whether the graph returns this value."""
        return self.result_count > 0

    @property
    def is_used(self) -> bool:
        """Whether a node reads this value or the graph returns it."""
        return bool(self.users) or self.result_count > 0

    @property
    def only_user(self) -> Node | None:
        """The node that alone reads this value, in one position; None when the graph returns it too."""
        if self.result_count or len(self.users) != 1:
            return None
        node, count = next(iter(self.users.items()))
        return node if count == 1 else None

    def copy_type(self, other: Value) -> None:
        """Take dtype, shape, kind, LoD level, place and quantisation from another value."""
        self.kind, self.dtype, self.shape = other.kind, other.dtype, other.shape
        self.lod_level, self.place, self.quant = other.lod_level, other.place, other.quant

    def __repr__(self) -> str:
        return f"%{self.name}" + (f"#{self.version}" if self.version else "")


class Node:
    """One op.  Slots map to lists of values; `blocks` are the graphs of its sub-blocks.

    `effect` marks a node whose place among the other such nodes may not change.  `place` is the
    picked kernel's.  The first ``attrs["carried"]`` arguments of a sub-block are paired with its
    first results and with the node's outputs (a loop carries them; a condition not met returns them).
    """

    __slots__ = (
        "attrs",
        "blocks",
        "effect",
        "graph",
        "id",
        "inputs",
        "next",
        "op",
        "outputs",
        "place",
        "previous",
    )

    def __init__(self, graph: Graph, op: str) -> None:
        self.graph = graph
        self.id = graph.ids.next()
        self.op = op
        self.inputs: dict[str, list[Value]] = {}
        self.outputs: dict[str, list[Value]] = {}
        self.attrs: dict[str, AttrValue] = {}
        self.blocks: list[Graph] = []
        self.effect = False
        self.place: Place | None = None
        self.previous: Node | None = None
        self.next: Node | None = None

    def input(self, slot: str) -> Value:
        """The single value of an input slot; raises `GraphError` when there is not exactly one."""
        return _single(self, slot, self.inputs.get(slot, ()))

    def output(self, slot: str | None = None) -> Value:
        """The single value of an output slot (by default of the first); raises `GraphError` otherwise."""
        name = next(iter(self.outputs), "") if slot is None else slot
        return _single(self, name, self.outputs.get(name, ()))

    def optional_input(self, slot: str) -> Value | None:
        """The value of an optional slot, or None where the node has none."""
        values = self.inputs.get(slot)
        return values[0] if values else None

    def all_inputs(self) -> Iterator[Value]:
        """Every value read, slot by slot."""
        return itertools.chain.from_iterable(self.inputs.values())

    def all_outputs(self) -> Iterator[Value]:
        """Every value written, slot by slot."""
        return itertools.chain.from_iterable(self.outputs.values())

    def set_input(self, slot: str, values: Sequence[Value]) -> None:
        """Make `values` what the slot reads; an empty sequence removes the slot."""
        for value in self.inputs.get(slot, ()):
            _drop_use(value, self)
        if not values:
            self.inputs.pop(slot, None)
            return
        self.inputs[slot] = list(values)
        for value in values:
            _add_use(value, self)

    def drop_output(self, slot: str) -> None:
        """Remove an output slot that nobody reads; raises `GraphError` for one that is read."""
        for value in self.outputs.get(slot, ()):
            if value.is_used:
                raise GraphError(f"{self.op}: output {slot} ({value!r}) cannot be dropped: it is still used")
            value.producer = None
        self.outputs.pop(slot, None)

    def __repr__(self) -> str:
        name = next((repr(value) for value in self.all_outputs()), "")
        return f"{self.op} {name}".strip()


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
        for value in self._results:
            value.result_count -= 1
        self._results = list(values)
        if names is not None:
            self.result_names = list(names)
        for value in self._results:
            value.result_count += 1
        if len(self.result_names) != len(self._results):
            raise GraphError(f"{len(self._results)} results have {len(self.result_names)} names")

    def walk(self) -> Iterator[Graph]:
        """This graph and all graphs nested in it, outer first."""
        yield self
        for node in self:
            for block in node.blocks:
                yield from block.walk()

    def new_value(self, name: str, like: Value | None = None) -> Value:
        """A value without a producer: a new version where the name was used before."""
        version = self._versions.get(name, -1) + 1
        self._versions[name] = version
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

    def add_constant(self, name: str, data: np.ndarray) -> Value:
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
        """Remove a node; raises `GraphError` when one of its outputs is still used."""
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

    def drop_unused_constants(self) -> bool:
        """Forget constants that nobody reads; whether there were any."""
        unused = [name for name, value in self.constants.items() if not value.is_used]
        for name in unused:
            del self.constants[name]
        return bool(unused)

    def effect_edges(self) -> Iterator[tuple[Node, Node]]:
        """Pairs of effectful nodes of which the first must run before the second."""
        return itertools.pairwise(node for node in self if node.effect)

    def _written(self, node: Node, output: str | Value) -> Value:
        value = self.new_value(output) if isinstance(output, str) else output
        if value.producer is not None:
            raise GraphError(f"{node.op}: output {value!r} is already written by {value.producer!r}")
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


def _single(node: Node, slot: str, values: Sequence[Value]) -> Value:
    if len(values) != 1:
        raise GraphError(f"{node!r}: slot {slot} holds {len(values)} values where exactly one is expected")
    return values[0]


def _add_use(value: Value, node: Node) -> None:
    value.users[node] = value.users.get(node, 0) + 1


def _drop_use(value: Value, node: Node) -> None:
    left = value.users[node] - 1
    if left:
        value.users[node] = left
    else:
        del value.users[node]


_ERASED = Graph(name="erased")
"""The graph of erased nodes."""
