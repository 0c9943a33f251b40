"""A graph to steps: the function of each op, and the names of the ops that cannot be written."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import field

from lite.dataclass import dataclass
from lite.errors import GraphError
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import is_known, shape_text
from lite.ops import get_schema
from lite.plugin.emitter import EMITTERS, Emission, EmitOp, EmitValue


@dataclass(frozen=True)
class Step:
    """A node with its code."""

    node: Node
    emission: Emission


@dataclass(frozen=True)
class Refusal:
    """A node that cannot be written, and why."""

    node: Node
    reason: str

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


def emit(
    graph: Graph, language: str, vector: int, in_place: Collection[Node] = (), *, fast: bool = False
) -> Steps:
    """The code of all nodes; `vector` and `fast` are those of `Emission`.

    Slices and joins `in_place` of bytes next to each other have no code: the slice is a view, and the
    operands of the join are written where its result is.
    """
    result = Steps()
    for node in graph:
        source = _viewed(node)
        if source is not None:
            result.views[node.output()] = source, 0
            continue
        if node in in_place and _share(node, result):
            continue
        emission = Emission(vector, fast)
        reason = _emit(node, language, emission)
        if reason is None:
            result.steps.append(Step(node, emission))
        else:
            result.refusals.append(Refusal(node, reason))
    return result


def _viewed(node: Node) -> Value | None:
    """The input whose bytes the only output shows; constants are no views."""
    pairs = list((get_schema(node.op).view or {}).items())
    if len(pairs) != 1:
        return None
    [(slot, source)] = pairs
    if len(node.inputs.get(source, ())) != 1 or len(node.outputs.get(slot, ())) != 1:
        return None
    used = [value for value in node.all_outputs() if value.is_used]
    is_static = all(is_known(value.shape) for value in (node.input(source), node.output(slot)))
    return node.input(source) if used in ([node.output(slot)], []) and is_static else None


def _share(node: Node, steps: Steps) -> bool:
    """Let a slice be a view, or the operands of a join parts of its result; False where a copy is needed."""
    op = EmitOp(node)
    if node.op == "slice":
        source, [axis], [first] = node.input("Input"), op.integers("axes"), op.integers("starts")
        inner = _inner_bytes(source, axis)
        if inner is None:
            return False
        steps.views[node.output()] = source, first * inner
        return True
    values, offset = node.inputs["X"], 0
    inner = _inner_bytes(node.output(), op.integer("axis"))
    own = all(v.producer is not None and v.only_user is node and v not in steps.views for v in values)
    if inner is None or not own:
        return False
    for value in values:
        steps.views[value] = node.output(), offset
        offset += EmitValue(value).bytes
    return True


def _inner_bytes(value: Value, axis: int) -> int | None:
    """The bytes of one element of an axis; None where they are not next to each other."""
    each = EmitValue(value)
    if math.prod(each.shape[:axis]) != 1:
        return None
    return math.prod(each.shape[axis + 1 :]) * each.dtype.itemsize


def _emit(node: Node, language: str, emission: Emission) -> str | None:
    if node.blocks or get_schema(node.op).control_flow:
        return "control flow that depends on data cannot be written as a fixed list of steps"
    for value in (*node.all_inputs(), *node.all_outputs()):
        if value.is_used and not is_known(value.shape):
            return f"the shape of {value.label}, {shape_text(value.shape)}, depends on data"
    emitter = EMITTERS.find((language, node.op))
    if emitter is None:
        return f"there is no {language.upper()} code for this op"
    try:
        return emitter.emit(EmitOp(node), emission)
    except GraphError as error:
        return str(error)
