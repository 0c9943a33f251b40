"""Collects what a loop appends to a tensor in a tensor array, which is joined once after the loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from lite.dataclass import dataclass
from lite.ir.build import CONDITIONAL, WHILE, block_inputs
from lite.ir.clone import copy_block
from lite.ir.graph import Graph, Node, Value
from lite.ir.program import VarKind
from lite.ir.types import DType
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fold.cheap_ops import is_cheap
from lite.passes.match import attributes, producer, sole_producer
from lite.passes.registry import register_pass


@register_pass
class GrowingConcatToArrayPass(Pass):
    """Replaces a concat that only makes a carried value longer::

        %y#1 = while(..., X=[%y, ...])                  %a = make_array(X=%y)
          graph block(%y, ...):                         %a#1 = while(..., X=[%a, ...])
            %y#1 = concat(X=[%y, %new]) {axis=1}   ->     graph block(%a, ...):
            return y=%y#1, ...                              %a#1 = insert_to_array(X=%a, Item=%new)
                                                            return a=%a#1, ...
                                                        %y#1 = tensor_array_to_tensor(X=%a#1) {axis=1}

    An iteration then copies only what is new, and the values that it carries keep their sizes.  A tensor that
    grows at the front gets its elements at the front of the array.  So does a tensor that grows where a
    condition holds::

        %g = conditional_block(Cond=%p, Input=[%y, %new])        %a#1 = insert_to_array(
          graph block(%y, %new):  %g = concat(X=[%y, %new])  ->      X=%a, Item=%new, Condition=%p)
        %y#1 = select_input(X=[%y, %g], Mask=%m)
    """

    name: ClassVar[str] = "growing_concat_to_array_pass"
    needs: ClassVar[tuple[str, ...]] = ("while",)
    after: ClassVar[tuple[str, ...]] = (
        "canonicalize_pass",
        "unroll_loops_pass",
        "cheap_branch_to_select_pass",
    )

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """A value that the loop reads otherwise, too, stays."""
        loops = [node for node in graph if node.op == WHILE]
        changes = [_collect(graph, loop, n) for loop in loops for n in range(1, loop.carried)]
        return Outcome.of(any(changes))


def _collect(graph: Graph, loop: Node, number: int) -> bool:
    block = loop.blocks[0]
    argument, result = block.args[number], block.results[number]
    output = list(loop.all_outputs())[number]
    is_plain = all(each.kind == VarKind.TENSOR and not each.lod_level for each in (argument, result))
    if not is_plain or not output.is_used or result.users or result.result_count != 1:
        return False
    growth = _growth(argument, result) or _chosen_growth(block, argument, result)
    if growth is None:
        return False
    inputs = {"X": [argument], "Item": [growth.item]}
    if growth.is_first:
        inputs["Position"] = [block.add_constant("position", np.zeros((), np.int64))]
    if growth.condition is not None:
        inputs["Condition"] = [growth.condition]
    grown = _array_like(block, result)
    block.add_node("insert_to_array", inputs, {"Out": [grown]}, before=growth.nodes[0])
    block.replace_uses(result, grown)
    for node in growth.nodes:
        block.erase(node)
    _become_array(argument)
    initial = block_inputs(loop)
    start = _array_like(graph, initial[number])
    graph.add_node("make_array", {"X": [initial[number]]}, {"Out": [start]}, before=loop)
    loop.set_input("X", [*initial[1:number], start, *initial[number + 1 :]])
    joined = graph.new_value(output.name, like=output)
    graph.replace_uses(output, joined)
    _become_array(output)
    attrs = {"axis": growth.axis, "use_stack": False}
    graph.add_node(
        "tensor_array_to_tensor", {"X": [output]}, {"Out": [joined]}, attrs, before=_next(graph, loop)
    )
    return True


@dataclass(frozen=True)
class _Growth:
    """What an iteration adds to a tensor along an axis: `item`, where the `condition` holds, if there is one.

    `nodes` are those that it replaces, each before what it reads.
    """

    nodes: Sequence[Node]
    item: Value
    axis: int
    is_first: bool
    condition: Value | None = None


def _growth(argument: Value, result: Value) -> _Growth | None:
    """The concat of a carried argument, which nothing else reads, and something new."""
    concat = producer(result, ("concat",))
    if concat is None or set(concat.inputs) != {"X"} or concat.graph is not argument.graph:
        return None
    operands = concat.inputs["X"]
    if len(operands) != 2 or operands.count(argument) != 1 or argument.only_user is not concat:
        return None
    is_first = operands[1] is argument
    return _Growth([concat], operands[0 if is_first else 1], attributes(concat).integer("axis"), is_first)


def _chosen_growth(block: Graph, argument: Value, result: Value) -> _Growth | None:
    """The growth in a branch, where an op selects its result or the argument; nothing else reads the two.

    The other ops of the branch, which are cheap, are moved out of it.
    """
    select = producer(result, ("select_input",))
    choices = [] if select is None else select.inputs["X"]
    if select is None or len(choices) != 2 or choices.count(argument) != 1:
        return None
    number = 1 - choices.index(argument)
    branch = sole_producer(choices[number], CONDITIONAL)
    if branch is None or branch.carried or len(branch.inputs.get("Cond", ())) != 1:
        return None
    inputs, condition = block_inputs(branch), branch.input("Cond")
    if inputs.count(argument) != 1 or set(argument.users) != {select, branch} or argument.result_count:
        return None
    if sum(1 for _ in branch.all_outputs()) != 1 or not attributes(branch).flag("is_scalar_condition"):
        return None
    if not _chooses(select.input("Mask"), condition, number):
        return None
    body = branch.blocks[0]
    growth = _growth(body.args[inputs.index(argument)], body.results[0])
    if growth is None:
        return None
    others = [node for node in body if node not in growth.nodes]
    if not all(map(is_cheap, others)):
        return None
    values = copy_block(body, block, inputs, before=branch, nodes=others)
    return _Growth([select, branch], values[growth.item], growth.axis, growth.is_first, condition)


def _chooses(mask: Value, condition: Value, number: int) -> bool:
    """Whether a mask is `number` exactly where a condition holds."""
    first, second = _origin(mask), _origin(condition)
    return first[0] is second[0] and first[0].dtype is DType.BOOL and (first[1] is second[1]) == bool(number)


def _origin(value: Value) -> tuple[Value, bool]:
    """The value that one was made from by casts and negations, and whether it is not the negation of that."""
    is_same = True
    while (node := producer(value, ("assign", "cast", "logical_not"))) is not None:
        is_same ^= node.op == "logical_not"
        value = node.input("X")
    return value, is_same


def _array_like(graph: Graph, value: Value) -> Value:
    array = graph.new_value(value.name, like=value)
    _become_array(array)
    return array


def _become_array(value: Value) -> None:
    value.kind, value.shape = VarKind.TENSOR_ARRAY, None


def _next(graph: Graph, node: Node) -> Node | None:
    """The node after another one."""
    nodes = iter(graph)
    while next(nodes) is not node:
        pass
    return next(nodes, None)
