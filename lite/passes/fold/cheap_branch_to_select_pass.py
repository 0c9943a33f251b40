"""Computes cheap branches always, where an op selects the result of the one that is taken."""

from __future__ import annotations

from typing import ClassVar

from lite.dataclass import dataclass
from lite.ir.build import CONDITIONAL, block_inputs
from lite.ir.clone import copy_block
from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fold.cheap_ops import is_cheap
from lite.passes.match import attributes
from lite.passes.registry import register_pass

_MOST_OPS = 16
"""The most ops of a cheap branch."""


@register_pass
@dataclass(frozen=True)
class CheapBranchToSelectPass(Pass):
    """Takes the ops out of branches of few small ops, and removes branches without ops::

        %a = conditional_block(Cond=%c, Input=%x)                 ->  %a = scale(X=%x) {scale=2.0}
          graph block(%x):  %a = scale(X=%x) {scale=2.0}
        %b = conditional_block(Cond=%not_c, Input=%x) ...         ->
          graph block(%x):  return %x
        %y = select_input(X=[%b, %a], Mask=%m)                    ->  %y = select_input(X=[%x, %a], Mask=%m)

    The ops must not be able to fail, as gather can.  A loop that then has no branches may run in compiled
    code alone.
    """

    name: ClassVar[str] = "cheap_branch_to_select_pass"
    needs: ClassVar[tuple[str, ...]] = ("select_input",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "branch_fold_pass", "unroll_loops_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """A branch whose results anything else reads stays."""
        found = [node for node in graph if node.op in CONDITIONAL and _is_cheap_branch(node)]
        for node in found:
            _compute_always(graph, node)
        return Outcome.of(bool(found))


def _is_cheap_branch(node: Node) -> bool:
    if node.carried or len(node.inputs.get("Cond", ())) != 1:
        return False
    if not attributes(node).flag("is_scalar_condition"):
        return False
    for output in node.all_outputs():
        if output.lod_level or output.result_count or any(user.op != "select_input" for user in output.users):
            return False
    nodes = list(node.blocks[0])
    return len(nodes) <= _MOST_OPS and all(map(is_cheap, nodes))


def _compute_always(graph: Graph, node: Node) -> None:
    block = node.blocks[0]
    values = copy_block(block, graph, block_inputs(node), before=node)
    for output, result in zip(node.all_outputs(), block.results, strict=True):
        graph.replace_uses(output, values[result])
    graph.erase(node)
