"""The steps of a graph in C: the function of each op, and where the values are at run time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from lite.dataclass import dataclass
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import Array
from lite.plugin.emitter import Emission


@dataclass(frozen=True)
class Location:
    """A place: an offset in ``arena`` or ``weights``, or a number among ``inputs`` or ``outputs``.

    `shift` is the distance from there in bytes.
    """

    where: str
    offset: int
    shift: int = 0


@dataclass
class MemoryPlan:
    """The places of values by root and of scratch by step, the size of the arena, and copies to outputs.

    `peaks` has for each step the bytes that are live then.
    """

    values: dict[Value, Location] = field(default_factory=dict)
    scratch: dict[tuple[int, str], Location] = field(default_factory=dict)
    arena: int = 0
    copies: list[tuple[int, Value]] = field(default_factory=list)
    peaks: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Step:
    """A node with its code, and the body that it runs if it is a loop or a branch."""

    node: Node
    emission: Emission
    body: Body | None = None

    def weights(self) -> Iterator[Array]:
        """The arrays that it reads, and those of its body."""
        for parameter in self.emission.parameters:
            if parameter.source.weights is not None:
                yield parameter.source.weights
        for step in () if self.body is None else self.body.steps.steps:
            yield from step.weights()


@dataclass(frozen=True)
class Refusal:
    """A node that cannot be written, and why; `outer` is the node of the main graph that has it inside."""

    node: Node
    reason: str
    outer: Node | None = None

    def __str__(self) -> str:
        return f"{self.node.op} ({self.node.label}): {self.reason}"


@dataclass(frozen=True)
class Steps:
    """The steps in running order, and the refused nodes.

    `views` has for each value without memory of its own the value whose bytes it shows, and from which byte.
    """

    steps: list[Step] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    views: dict[Value, tuple[Value, int]] = field(default_factory=dict)

    def place(self, value: Value) -> tuple[Value, int]:
        """The value in whose memory a value is, and the offset there in bytes."""
        offset = 0
        while value in self.views:
            value, begin = self.views[value]
            offset += begin
        return value, offset

    def root(self, value: Value) -> Value:
        """The value in whose memory a value is."""
        return self.place(value)[0]


@dataclass(frozen=True)
class Body:
    """The block of a loop or of a branch: a graph with its steps, whose values have an arena of their own."""

    graph: Graph
    steps: Steps
    plan: MemoryPlan
