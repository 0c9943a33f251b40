"""Fuses neighbouring elementwise ops into one op with a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.ir.running_order import running_order
from lite.ops.fusion_program import Instruction, program_text
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.elementwise.elementwise_groups import elementwise_groups
from lite.passes.fuse.elementwise.elementwise_instructions import Operand, Part, parts_of
from lite.passes.registry import register_pass
from lite.plugin.kernel.fusible import fusible_instructions

MAX_NODES = 48
"""The most nodes of a group: the time to compile a loop grows faster than its length."""


@register_pass
class FusionGroupPass(Pass):
    """Replaces neighbouring elementwise ops by one op, which reads and writes memory once::

        %a = elementwise_mul(X=%x, Y=%w)  ->  %y = fusion_group(X=%x, Inputs=%w) {results = [4], program =
        %s = sigmoid(X=%a)                         "elementwise_mul 0 1; sigmoid 2; elementwise_sub 2 3"}
        %y = elementwise_sub(X=%a, Y=%s)

    The program numbers inputs first, then results.  A result that a node outside of the group reads is an
    output; a result of the graph ends its group.  All results have one shape, as far as it is known.  An op
    stays if a group with it would depend on its own outputs.

    A longer group becomes several of at most `MAX_NODES` nodes.

    Only targets that compile loops use this pass: in numpy, the calls for parts of arrays cost as much as the
    fusion saves.
    """

    name: ClassVar[str] = "fusion_group_pass"
    after: ClassVar[tuple[str, ...]] = (
        "canonicalize_pass",
        "conv_activation_fuse_pass",
        "conv_elementwise_tree_fuse_pass",
        "elementwise_activation_fuse_pass",
        "fc_activation_fuse_pass",
        "scale_activation_fuse_pass",
        "skip_layernorm_fuse_pass",
    )
    targets: ClassVar[tuple[str, ...]] = ("cpu",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Takes float32, and nodes of known rank."""
        known = fusible_instructions({place.target for place in ctx.valid_places})
        parts = {node: found for node in graph if (found := parts_of(node, known)) is not None}
        groups = [
            part
            for group in elementwise_groups(graph, parts)
            for part in (group[n : n + MAX_NODES] for n in range(0, len(group), MAX_NODES))
            if len(part) > 1
        ]
        changes = [_fuse(graph, group, [parts[node] for node in group]) for group in groups]
        if any(changes):
            graph.drop_unused_constants()
            graph.reorder(running_order(graph))
        return Outcome.of(any(changes))


def _fuse(graph: Graph, group: Sequence[Node], parts: Sequence[Sequence[Part]]) -> bool:
    inside = set(group)
    # A result without readers is kept, too: another pass removes it, and the last result must be an output.
    kept = [
        value
        for value in (node.output() for node in group)
        if value.is_result or not value.users or any(user not in inside for user in value.users)
    ]
    operands = [operand for found in parts for part in found for operand in part.operands]
    outer = list(dict.fromkeys(operand for operand in operands if operand.value.producer not in inside))
    sources = [_lod_source(value, inside) for value in kept]
    if len({*sources}) > 1 and any(operand.value.lod_level for operand in outer):
        return False
    outer.sort(key=lambda operand: operand.value is not sources[-1])
    instructions, numbers = program_of(group, parts, outer)
    results = [numbers[value] for value in kept]
    before = group[-1].next
    for node in reversed(group):
        value = node.output()
        if value in kept:
            value.producer = None
            node.outputs = {}
        graph.erase(node)
    values = [reshaped(graph, operand) for operand in outer]
    graph.add_node(
        "fusion_group",
        {"X": values[:1], "Inputs": values[1:]},
        {"Out": kept},
        {"program": program_text(instructions), "results": results},
        before=before,
    )
    return True


def program_of(
    group: Sequence[Node], parts: Sequence[Sequence[Part]], outer: Sequence[Operand]
) -> tuple[list[Instruction], dict[Value, int]]:
    """The instructions, and the numbers of the group's values."""
    given = {operand: n for n, operand in enumerate(outer)}
    numbers: dict[Value, int] = {}
    instructions: list[Instruction] = []
    for node, found in zip(group, parts, strict=True):
        for part in found:
            last = len(outer) + len(instructions) - 1
            places = tuple(
                numbers[operand.value] if operand.value in numbers else given[operand]
                for operand in part.operands
            )
            instructions.append(Instruction(part.op, places or (last,), part.numbers))
        numbers[node.output()] = len(outer) + len(instructions) - 1
    return instructions, numbers


def _lod_source(value: Value, inside: set[Node]) -> Value:
    """The value from outside whose LoD a result has: the first operand of the first operand, and so on."""
    while value.producer in inside:
        value = value.producer.input("X")
    return value


def reshaped(graph: Graph, operand: Operand) -> Value:
    """The value of an operand; a constant gets the operand's shape."""
    value = operand.value
    if operand.shape is None or value.data is None or operand.shape == value.data.shape:
        return value
    return graph.add_constant(value.name, value.data.reshape(operand.shape))
