"""Replaces branches whose condition is constant by the ops of the one that is taken."""

from __future__ import annotations

from typing import ClassVar

from lite.dataclass import dataclass
from lite.ir.build import CONDITIONAL, block_inputs
from lite.ir.clone import copy_block
from lite.ir.graph import Graph, Node, Value
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes
from lite.passes.registry import register_pass


@register_pass
@dataclass(frozen=True)
class BranchFoldPass(Pass):
    """Takes the branches that are known::

        %a = conditional_block(Cond=%true, Input=%x)       ->  %a = relu(X=%x)
          graph block(%x):  %a = relu(X=%x)
        %b = conditional_block(Cond=%false, Input=%x) ...  ->
        %y = select_input(X=[%b, %a], Mask=%one)           ->  (%y is %a)

    A condition of several elements stays.
    """

    name: ClassVar[str] = "branch_fold_pass"
    needs: ClassVar[tuple[str, ...]] = ("conditional_block", "conditional_block_infer", "select_input")
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "constant_fold_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Choices first: then nothing reads the results of branches that are not taken."""
        changes = [_choose(graph, node) for node in list(graph) if node.op == "select_input"]
        changes += [_take(graph, node) for node in list(graph) if node.op in CONDITIONAL]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _choose(graph: Graph, node: Node) -> bool:
    choice, values = _number(node.input("Mask")), node.inputs["X"]
    if choice is None or not 0 <= choice < len(values):
        return False
    graph.replace_uses(node.output("Out"), values[choice])
    graph.erase(node)
    return True


def _take(graph: Graph, node: Node) -> bool:
    conditions = node.inputs.get("Cond", ())
    holds = _number(conditions[0]) if len(conditions) == 1 else None
    if holds is None or not attributes(node).flag("is_scalar_condition"):
        return False
    block, outputs = node.blocks[0], list(node.all_outputs())
    inputs = block_inputs(node)
    if holds:
        values = copy_block(block, graph, inputs, before=node)
        results = [values[value] for value in block.results]
    else:
        results = inputs[: node.carried]
        if any(value.is_used for value in outputs[node.carried :]):
            return False
    for output, value in zip(outputs, results, strict=False):
        graph.replace_uses(output, value)
    graph.erase(node)
    return True


def _number(value: Value) -> int | None:
    """The only element of a constant; None for other values."""
    return None if value.data is None or value.data.size != 1 else int(value.data.reshape(-1)[0])
