"""Values and nodes, the parts of a `Graph`."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lite.dataclass import dataclass
from lite.errors import GraphError
from lite.ir.program import AttrValue, VarKind
from lite.ir.types import Array, DType, Place, Shape

if TYPE_CHECKING:
    from lite.ir.graph import Graph


class Rounding(enum.Enum):
    """How real numbers become integers, and the arithmetic by which these become real numbers again.

    AFFINE is ONNX's: round(x / scale) + zero_point, halves to even, saturated to the storage type.  The
    others are Paddle's, with n = 127 for int8 and s = scale · n, the magnitude that n represents: integers
    are round(x · (n / s)), real numbers q · s / n.  ABS_MAX rounds halves to even and saturates to
    [-n - 1, n], ABS_MAX_AWAY rounds halves away from zero and saturates to [-n, n].

    The three differ by a unit in the last place of the real numbers, and by one integer where a number is
    next to a half.
    """

    AFFINE = "affine"
    ABS_MAX = "abs_max"
    ABS_MAX_AWAY = "abs_max_away"


@dataclass(frozen=True)
class Quant:
    """Quantisation: ``real = (stored - zero_point) * scale``, with integers of type `storage`.

    There is one scale and zero point for the whole tensor, and `axis` is -1, or one for each index of
    `axis`.
    """

    scale: tuple[float, ...]
    zero_point: tuple[int, ...]
    axis: int
    storage: DType
    rounding: Rounding = Rounding.AFFINE

    @property
    def per_axis(self) -> bool:
        """Whether each index of `axis` has a scale of its own."""
        return len(self.scale) > 1

    @property
    def is_symmetric(self) -> bool:
        """Whether all zero points are 0."""
        return not any(self.zero_point)


class Value:
    """One version of a variable.

    It is an argument or a constant of its graph, or an output of its `producer`.  `data` is the read-only
    array of a constant and None for all other values; several values may share an array.  `shape` is None
    where the rank is unknown.  `users` are the nodes that read the value, with the number of their input
    positions that hold it; `result_count` is the number of its positions in the results of the graph.
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
        self.result_count = 0

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
        """The node, if only one reads this value, in one position, and the graph does not return it."""
        if self.result_count or len(self.users) != 1:
            return None
        node, count = next(iter(self.users.items()))
        return node if count == 1 else None

    def copy_type(self, other: Value) -> None:
        """Set kind, dtype, shape, LoD level, place and quantisation to those of another value."""
        self.kind, self.dtype, self.shape = other.kind, other.dtype, other.shape
        self.lod_level, self.place, self.quant = other.lod_level, other.place, other.quant

    @property
    def label(self) -> str:
        """The name of the variable, with its version unless that is 0: ``x`` or ``x#1``."""
        return f"{self.name}#{self.version}" if self.version else self.name

    def __repr__(self) -> str:
        return f"%{self.label}"


class Node:
    """One op of a graph.

    `inputs` and `outputs` map slots to lists of values; `blocks` are the graphs of its sub-blocks.
    `effect` marks a node that must keep its order among the other nodes with an effect.  `place` is the
    place of the kernel that runs the node, once one is picked.
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
        """The name of the node in messages and reports: its first output or, failing that, its op."""
        return next((value.label for value in self.all_outputs()), self.op)

    @property
    def carried(self) -> int:
        """The number of arguments of the sub-block that are paired with its first results and with outputs.

        A loop passes these results to the next iteration; a condition that does not hold makes the
        arguments the outputs.  0 for a node without sub-block.
        """
        carried = self.attrs.get("carried", 0)
        return carried if isinstance(carried, int) else 0

    def input(self, slot: str) -> Value:
        """The only value of an input slot; raises `GraphError` unless there is exactly one."""
        return _single(self, slot, self.inputs.get(slot, ()))

    def output(self, slot: str | None = None) -> Value:
        """The only value of an output slot, by default of the first; raises `GraphError` otherwise."""
        name = next(iter(self.outputs), "") if slot is None else slot
        return _single(self, name, self.outputs.get(name, ()))

    def optional_input(self, slot: str) -> Value | None:
        """The value of an optional slot; None where the node has no such input."""
        values = self.inputs.get(slot)
        return values[0] if values else None

    def all_inputs(self) -> Iterator[Value]:
        """All inputs, slot by slot."""
        return itertools.chain.from_iterable(self.inputs.values())

    def all_outputs(self) -> Iterator[Value]:
        """All outputs, slot by slot."""
        return itertools.chain.from_iterable(self.outputs.values())

    def set_input(self, slot: str, values: Sequence[Value]) -> None:
        """Set the values of an input slot; an empty sequence removes the slot."""
        for value in self.inputs.get(slot, ()):
            _drop_use(value, self)
        if not values:
            self.inputs.pop(slot, None)
            return
        self.inputs[slot] = list(values)
        for value in values:
            _add_use(value, self)

    def drop_output(self, slot: str) -> None:
        """Remove an output slot; raises `GraphError` if one of its values is used."""
        for value in self.outputs.get(slot, ()):
            if value.is_used:
                raise GraphError(f"{self.op}: output {slot} ({value!r}) cannot be dropped: it is still used")
            value.producer = None
        self.outputs.pop(slot, None)

    def __repr__(self) -> str:
        output = next(self.all_outputs(), None)
        return self.op if output is None else f"{self.op} {output!r}"


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
