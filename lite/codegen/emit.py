"""A graph to steps: the function of each op, and the names of the ops that cannot be written."""

from __future__ import annotations

import math
from collections.abc import Collection

from lite.codegen.blocks import BLOCK_OPS, emit_block
from lite.codegen.memory import plan_memory
from lite.codegen.steps import Body, Refusal, Step, Steps
from lite.errors import GraphError
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import is_known, shape_text
from lite.ops import get_schema
from lite.plugin.emitter import EMITTERS, Emission, EmitOp, EmitValue


def emit(
    graph: Graph, language: str, vector: int, in_place: Collection[Node] = (), *, fast: bool = False
) -> Steps:
    """The code of all nodes; `vector` and `fast` are those of `Emission`.

    Slices and joins `in_place` of bytes next to each other have no code: the slice is a view, and the
    operands of the join are written where its result is.  The ops inside of loops and branches that cannot
    be written are refused, too.
    """
    result = Steps()
    for node in graph:
        source = _viewed(node)
        if source is not None:
            result.views[node.output()] = source, 0
            continue
        if node in in_place and _share(node, result):
            continue
        made = _step(node, language, Emission(vector, fast))
        if isinstance(made, Step):
            result.steps.append(made)
        else:
            result.refusals.extend(made)
    return result


def _step(node: Node, language: str, emission: Emission) -> Step | list[Refusal]:
    """The step of a node, or the nodes in it that cannot be written."""
    try:
        if node.op in BLOCK_OPS:
            return _block_step(node, language, emission)
        reason = _emit(node, language, emission)
    except GraphError as error:
        reason = str(error)
    return Step(node, emission) if reason is None else [Refusal(node, reason)]


def _block_step(node: Node, language: str, emission: Emission) -> Step | list[Refusal]:
    [block] = node.blocks
    steps = emit(block, language, emission.vector, fast=emission.fast)
    if steps.refusals:
        return [Refusal(each.node, each.reason, node) for each in steps.refusals]
    plan = plan_memory(block, steps)
    reason = emit_block(node, plan.arena, emission)
    return Step(node, emission, Body(block, steps, plan)) if reason is None else [Refusal(node, reason)]


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
        return "control flow of this kind cannot be written as code"
    for value in (*node.all_inputs(), *node.all_outputs()):
        if value.is_used and not is_known(value.shape):
            return f"the shape of {value.label}, {shape_text(value.shape)}, depends on data"
    emitter = EMITTERS.find((language, node.op))
    if emitter is None:
        return f"there is no {language.upper()} code for this op"
    return emitter.emit(EmitOp(node), emission)
