"""Replaces short loops whose number of iterations is known by the ops of all iterations."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lite.dataclass import dataclass
from lite.errors import LiteError
from lite.ir.build import WHILE, block_inputs
from lite.ir.clone import add_constant_like, copy_nodes
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import Array
from lite.ops import SCHEMAS
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes
from lite.passes.registry import register_pass
from lite.plugin.kernel import evaluate

Known = dict[Value, Array]
"""The elements of small values of a block in one iteration."""

_SMALL = 64
"""Values with more elements do not count iterations."""


@register_pass
@dataclass(frozen=True)
class UnrollLoopsPass(Pass):
    """Replaces a loop by its iterations, one after the other::

        %i = const int64[1] [0]                            %x1 = scale(X=%x) {scale=2.0}
        %x#1 = while(Condition=%true, X=[%x, %i])    ->    %x#1 = scale(X=%x1) {scale=2.0}
          graph block(%c, %x, %i)   (%c#1 = %i + 1 < 2)

    The condition must follow from constants in each iteration.  Ops that do, too, become constants.  A loop
    of more than `most_ops` ops in all stays.  Where the loop wrote the elements of a tensor array that is
    only stacked, these are stacked.
    """

    most_ops: int = 256

    name: ClassVar[str] = "unroll_loops_pass"
    needs: ClassVar[tuple[str, ...]] = ("while", "stack_array")
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "constant_fold_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Loops inside loops stay; they can be unrolled where the outer one was."""
        changes = [self._unroll(graph, node) for node in list(graph) if node.op == WHILE]
        changes += [_stack(graph, node) for node in graph if node.op == "stack_array"]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))

    def _unroll(self, graph: Graph, loop: Node) -> bool:
        block = loop.blocks[0]
        most = self.most_ops // max(sum(1 for _ in block), 1)
        iterations = _iterations(loop, most)
        if not iterations or any(node.op == WHILE for node in block):
            return False
        current = list(block_inputs(loop))
        constants = {value: add_constant_like(graph, value) for value in block.constants.values()}
        for known in iterations:
            values = {**constants, **dict(zip(block.args, current, strict=True))}
            nodes = [node for node in block if not known.keys() >= set(node.all_outputs())]
            read = {value for node in nodes for value in node.all_inputs()}.union(block.results)
            for value, array in known.items():
                if value in read and (value not in values or not values[value].is_constant):
                    values[value] = graph.add_constant(value.name, array)
            copy_nodes(nodes, graph, values, before=loop)
            current[: loop.carried] = [values[result] for result in block.results]
        for output, value in zip(loop.all_outputs(), current, strict=False):
            graph.replace_uses(output, value)
        graph.erase(loop)
        return True


def _iterations(loop: Node, most: int) -> list[Known] | None:
    """The values that are known in each iteration; None for an unknown or too large number."""
    block = loop.blocks[0]
    inputs = dict(zip(block.args, block_inputs(loop), strict=True))
    known = {arg: v.data for arg, v in inputs.items() if v.data is not None and v.data.size <= _SMALL}
    fixed = {arg: array for arg, array in known.items() if arg in block.args[loop.carried :]}
    carried = {arg: known[arg] for arg in block.args[: loop.carried] if arg in known}
    if len(block.results) != loop.carried:
        return None
    iterations: list[Known] = []
    while True:
        condition = carried.get(block.args[0])
        if condition is None or condition.size != 1:
            return None
        if not condition.reshape(-1)[0]:
            return iterations
        if len(iterations) == most:
            return None
        results = _evaluated(block, {**fixed, **carried})
        iterations.append(results)
        pairs = zip(block.args[: loop.carried], block.results, strict=True)
        carried = {arg: results[result] for arg, result in pairs if result in results}


def _evaluated(block: Graph, known: Known) -> Known:
    """The small values of a block that follow from known arguments, and its constants."""
    found = dict(known)
    for node in block:
        schema = SCHEMAS.get(node.op)
        inputs = node.all_inputs()
        arrays = {value: found.get(value, value.data) for value in inputs}
        is_small = all(array is not None and array.size <= _SMALL for array in arrays.values())
        if schema is None or not schema.foldable or node.effect or node.blocks or not is_small:
            continue
        by_slot = {slot: [np.asarray(arrays[v]) for v in values] for slot, values in node.inputs.items()}
        outputs = {slot: len(values) for slot, values in node.outputs.items()}
        try:
            results = evaluate(node.op, by_slot, attributes(node), outputs)
        except LiteError:
            # The op fails on these elements, and the run reports it if it gets there.
            continue
        for slot, values in node.outputs.items():
            for value, result in zip(values, results[slot], strict=True):
                if isinstance(result.array, np.ndarray) and result.array.size <= _SMALL:
                    found[value] = result.array
    found.update((value, value.data) for value in block.results if value.data is not None)
    return found


def _stack(graph: Graph, node: Node) -> bool:
    """Replace stack_array of an array that was written element by element by stack."""
    elements: list[Value] = []
    places: list[int] = []
    writes: list[Node] = []
    array = node.input("X")
    while array.producer is not None and array.producer.op == "write_to_array":
        write = array.producer
        index = write.input("I").data
        if index is None or index.size != 1 or array.only_user is None or not write.inputs.get("Array"):
            return False
        writes.append(write)
        elements.append(write.input("X"))
        places.append(int(index.reshape(-1)[0]))
        array = write.input("Array")
    is_whole = bool(places) and places[::-1] == list(range(len(places)))
    new = array.producer
    if not is_whole or new is None or new.op != "create_array" or array.only_user is None:
        return False
    if any(value.lod_level for value in elements):
        return False
    attrs = attributes(node)
    ordered = elements if attrs.flag("reverse") else elements[::-1]
    out = graph.new_value(node.output("Out").name, like=node.output("Out"))
    graph.add_node("stack", {"X": ordered}, {"Y": [out]}, {"axis": attrs.integer("axis")}, before=node)
    graph.replace_uses(node.output("Out"), out)
    for each in (node, *writes, new):
        graph.erase(each)
    return True
