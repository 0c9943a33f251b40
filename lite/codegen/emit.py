"""A graph to steps: the function of each op, and the names of the ops that cannot be written."""

from __future__ import annotations

from lite.dataclass import dataclass
from lite.errors import GraphError
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import is_known, shape_text
from lite.ops import get_schema
from lite.plugin.emitter import EMITTERS, Emission, EmitOp


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
    """The steps in running order, the refused nodes, and for each view the value whose bytes it shows."""

    steps: list[Step]
    refusals: list[Refusal]
    views: dict[Value, Value]


def emit(graph: Graph, language: str, vector: int) -> Steps:
    """The code of all nodes; weights are padded to multiples of `vector` floats."""
    result = Steps([], [], {})
    for node in graph:
        source = _viewed(node)
        if source is not None:
            result.views[node.output()] = result.views.get(source, source)
            continue
        emission = Emission(vector)
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
