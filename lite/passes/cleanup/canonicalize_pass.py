"""Replaces old spellings of ops by the canonical ones."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.ops import SCHEMAS, OpSchema
from lite.ops.schema import Canonical
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.cleanup.attribute_slots import constant_slots_to_attributes
from lite.passes.cleanup.spelling import find_spelling
from lite.passes.registry import register_pass


@register_pass
class CanonicalizePass(Pass):
    """Replaces old op types by the newest, and constant shape and axis tensors by attributes::

        %shape = constant                        ->  %y = reshape2(X=%x) {shape = [2, 3]}
        %y = reshape(X=%x, Shape=%shape)

    It removes optional outputs that no node reads (XShape, Mask, MeanOut), fills in the defaults of
    attributes, drops attributes that the schema does not have, and marks effects.  Ops without a schema
    do not change.
    """

    name: ClassVar[str] = "canonicalize_pass"

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Accepts unknown ops; raises `GraphError` for attributes that are not valid."""
        known = set(graph)
        changes = [_canonicalize(graph, node) for node in graph]
        # Spellings add nodes before theirs, which the loop does not come to.
        added = [(node, SCHEMAS.get(node.op)) for node in graph if node not in known]
        changes += [_complete_attributes(node, schema) for node, schema in added if schema is not None]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _canonicalize(graph: Graph, node: Node) -> bool:
    changed = _rename(graph, node)
    schema = SCHEMAS.get(node.op)
    if schema is None:
        return changed
    changed |= constant_slots_to_attributes(node, schema)
    changed |= _mark_effect(node, schema)
    if schema.control_flow or node.blocks:
        # Its outputs are paired with the results of its block.
        return changed
    changed |= _drop_unused_outputs(node, schema)
    return _complete_attributes(node, schema) or changed


def _rename(graph: Graph, node: Node) -> bool:
    changed = False
    while True:
        rewrite = find_spelling(node.op)
        if rewrite is not None and rewrite(graph, node):
            changed = True
            continue
        schema = SCHEMAS.get(node.op)
        if schema is None or schema.canonical is None:
            return changed
        _drop_unused_outputs(node, schema)
        _respell(node, schema, schema.canonical)
        changed = True


def _respell(node: Node, schema: OpSchema, canonical: Canonical) -> None:
    if canonical.attrs is not None:
        node.attrs = canonical.attrs(schema.attr_values(node.attrs))
    node.op = canonical.op
    inputs = {canonical.slots.get(slot, slot): values for slot, values in node.inputs.items()}
    for slot in list(node.inputs):
        node.set_input(slot, ())
    for slot, values in inputs.items():
        node.set_input(slot, values)
    node.outputs = {canonical.slots.get(slot, slot): values for slot, values in node.outputs.items()}


def _drop_unused_outputs(node: Node, schema: OpSchema) -> bool:
    unused = [
        slot
        for slot, values in node.outputs.items()
        if (slot not in schema.outputs or schema.outputs[slot].optional)
        and not any(value.is_used for value in values)
    ]
    for slot in unused:
        node.drop_output(slot)
    return bool(unused)


def _mark_effect(node: Node, schema: OpSchema) -> bool:
    effect = schema.effect or any(inner.effect for block in node.blocks for inner in block)
    changed = node.effect != effect
    node.effect = effect
    return changed


def _complete_attributes(node: Node, schema: OpSchema) -> bool:
    attrs = schema.attr_values(node.attrs if schema.respell is None else schema.respell(node.op, node.attrs))
    # Equal numbers of different types print differently: 1, 1.0 and True.
    if repr(attrs) == repr(node.attrs):
        return False
    node.attrs = attrs
    return True
