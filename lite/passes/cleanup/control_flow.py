"""Removes unread results, carried values and inputs of nodes with sub-blocks (see `lite.ir.build`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from lite.ir.build import CONDITIONAL, WHILE, block_inputs
from lite.ir.graph import Graph, Node, Value


def bypass_unchanged_values(node: Node) -> bool:
    """Replace the results that are always the node's inputs by these; whether any was read."""
    block, inputs, outputs = node.blocks[0], block_inputs(node), list(node.all_outputs())
    found = [n for n in range(node.carried) if _is_unchanged(block, n) and outputs[n].is_used]
    for n in found:
        node.graph.replace_uses(outputs[n], inputs[n])
    return bool(found)


def drop_unread_results(node: Node) -> bool:
    """Drop the results that no node needs; whether there were any.

    A loop needs its condition, and the results that other results need in the next iteration.  An argument
    that was paired with a dropped result stays as an argument that is only read.
    """
    block = node.blocks[0]
    read = {n for n, value in enumerate(node.all_outputs()) if value.is_used}
    if node.op == WHILE:
        read, _ = _loop_liveness(node, read)
    dead = [n for n in range(len(block.results)) if n not in read]
    if not dead:
        return False
    kept = [n for n in range(node.carried) if n in read]
    order = [*kept, *(n for n in range(len(block.args)) if n not in kept)]
    inputs = block_inputs(node)
    _set_arguments(node, [inputs[n] for n in order], [block.args[n] for n in order])
    node.attrs["carried"] = len(kept)
    _keep_results(node, sorted(read))
    return True


def drop_unread_arguments(node: Node) -> bool:
    """Drop the inputs that the block does not read and does not carry; whether there were any."""
    block = node.blocks[0]
    carried = node.carried
    pairs = list(zip(block_inputs(node), block.args, strict=True))
    kept = [pair for n, pair in enumerate(pairs) if n < carried or pair[1].is_used]
    if len(kept) == len(pairs):
        return False
    _set_arguments(node, [value for value, _ in kept], [argument for _, argument in kept])
    return True


def _loop_liveness(node: Node, read: Collection[int]) -> tuple[set[int], set[Value]]:
    """The carried values that a loop needs for its outputs `read`, and all values of its block."""
    block = node.blocks[0]
    needed = {0, *read}
    while True:
        live = _live_values(block, [block.results[n] for n in sorted(needed)])
        changing = [n for n in range(node.carried) if not _is_unchanged(block, n)]
        more = {n for n in changing if block.args[n] in live} - needed
        if not more:
            return needed, live
        needed |= more


def _is_unchanged(block: Graph, number: int) -> bool:
    """Whether a carried value is what it was before the block, which is then no more than read."""
    return block.results[number] is block.args[number]


def _live_values(block: Graph, results: Iterable[Value]) -> set[Value]:
    """All values that these results and the block's effects need."""
    live = set(results)
    for node in reversed(block):
        read = [n for n, value in enumerate(node.all_outputs()) if value in live]
        if node.effect or read:
            live.update(_needed_inputs(node, read))
    return live


def _needed_inputs(node: Node, read: Collection[int]) -> Iterable[Value]:
    """The values that a node needs to compute its outputs `read`."""
    if node.op == WHILE:
        needed, live = _loop_liveness(node, read)
        return _inputs_for(node, needed, live)
    if node.op in CONDITIONAL:
        block = node.blocks[0]
        live = _live_values(block, [block.results[n] for n in read])
        carried = {n for n in read if n < node.carried}
        return [*node.inputs.get("Cond", ()), *_inputs_for(node, carried, live)]
    return node.all_inputs()


def _inputs_for(node: Node, carried: Collection[int], live: Collection[Value]) -> list[Value]:
    pairs = zip(block_inputs(node), node.blocks[0].args, strict=True)
    return [value for n, (value, argument) in enumerate(pairs) if n in carried or argument in live]


def _set_arguments(node: Node, inputs: Sequence[Value], arguments: Sequence[Value]) -> None:
    """Set the inputs of the node to the values of the block's arguments; a loop's first is its condition."""
    if node.op == WHILE:
        node.set_input("X", inputs[1:])
    else:
        node.set_input("Input", inputs)
    node.blocks[0].args = list(arguments)


def _keep_results(node: Node, kept: Sequence[int]) -> None:
    block = node.blocks[0]
    block.set_results([block.results[n] for n in kept], [block.result_names[n] for n in kept])
    outputs = node.outputs.pop("Out")
    for value in outputs:
        value.producer = None
    if not kept:
        return
    node.outputs["Out"] = [outputs[n] for n in kept]
    for value in node.outputs["Out"]:
        value.producer = node
