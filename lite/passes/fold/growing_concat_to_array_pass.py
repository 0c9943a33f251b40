"""Collects what a loop appends to a tensor in a tensor array, which is joined once after the loop."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lite.ir.build import WHILE, block_inputs
from lite.ir.graph import Graph, Node, Value
from lite.ir.program import VarKind
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes
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
    grows at the front gets its elements at the front of the array.
    """

    name: ClassVar[str] = "growing_concat_to_array_pass"
    needs: ClassVar[tuple[str, ...]] = ("while",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "unroll_loops_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """A value that the loop reads otherwise, too, stays."""
        loops = [node for node in graph if node.op == WHILE]
        changes = [_collect(graph, loop, n) for loop in loops for n in range(1, loop.carried)]
        return Outcome.of(any(changes))


def _collect(graph: Graph, loop: Node, number: int) -> bool:
    block = loop.blocks[0]
    argument, result = block.args[number], block.results[number]
    concat = _growth(block, argument, result)
    output = list(loop.all_outputs())[number]
    if concat is None or not output.is_used:
        return False
    operands, axis = concat.inputs["X"], attributes(concat).integer("axis")
    is_first = operands[1] is argument
    inputs = {"X": [argument], "Item": [operands[0 if is_first else 1]]}
    if is_first:
        inputs["Position"] = [block.add_constant("position", np.zeros((), np.int64))]
    grown = _array_like(block, result)
    block.add_node("insert_to_array", inputs, {"Out": [grown]}, before=concat)
    block.replace_uses(result, grown)
    block.erase(concat)
    _become_array(argument)
    initial = block_inputs(loop)
    start = _array_like(graph, initial[number])
    graph.add_node("make_array", {"X": [initial[number]]}, {"Out": [start]}, before=loop)
    loop.set_input("X", [*initial[1:number], start, *initial[number + 1 :]])
    joined = graph.new_value(output.name, like=output)
    graph.replace_uses(output, joined)
    _become_array(output)
    attrs = {"axis": axis, "use_stack": False}
    graph.add_node(
        "tensor_array_to_tensor", {"X": [output]}, {"Out": [joined]}, attrs, before=_next(graph, loop)
    )
    return True


def _growth(block: Graph, argument: Value, result: Value) -> Node | None:
    """The concat of a carried argument and something new, where nothing else reads the two tensors."""
    concat = result.producer
    if concat is None or concat.op != "concat" or set(concat.inputs) != {"X"} or concat.graph is not block:
        return None
    operands = concat.inputs["X"]
    if len(operands) != 2 or operands.count(argument) != 1 or argument.only_user is not concat:
        return None
    is_plain = all(each.kind == VarKind.TENSOR and not each.lod_level for each in (argument, result))
    is_read = bool(result.users) or result.result_count != 1
    return concat if is_plain and not is_read else None


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
