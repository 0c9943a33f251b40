"""Values and nodes: what a `Graph` is made of."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lite.errors import GraphError
from lite.ir.program import AttrValue, VarKind
from lite.ir.types import Array, DType, Place, Shape

if TYPE_CHECKING:
    from lite.ir.graph import Graph


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
        self.data: Array | None = None
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

    @property
    def label(self) -> str:
        """The name of the variable, with the version where it was written before: ``x`` or ``x#1``."""
        return f"{self.name}#{self.version}" if self.version else self.name

    def __repr__(self) -> str:
        return f"%{self.label}"


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

    @property
    def label(self) -> str:
        """What messages and reports call the node: the first value it writes, else its op."""
        return next((value.label for value in self.all_outputs()), self.op)

    @property
    def carried(self) -> int:
        """How many arguments of the sub-block are paired with its results; 0 without sub-block."""
        carried = self.attrs.get("carried", 0)
        return carried if isinstance(carried, int) else 0

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
