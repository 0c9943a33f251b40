"""Takes unread inputs, carried values and outputs off nodes with sub-blocks (see `lite.ir.build`)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lite.ir.graph import Graph, Node, Value


def shrink_while(node: Node) -> bool:
    """Drop the carried values that only serve themselves, and the inputs that the body does not read.

    Index 0 is the condition, which a loop always carries.
    """
    block = node.blocks[0]
    carried = _carried(node)
    live = {0} | {n for n, value in enumerate(node.outputs["Out"]) if value.is_used}
    while True:
        read = _live_values(block, [block.results[n] for n in sorted(live)])
        more = {n for n in range(carried) if block.args[n] in read} - live
        if not more:
            break
        live |= more
    dead = set(range(carried)) - live
    unread = {n for n in range(carried, len(block.args)) if not block.args[n].is_used}
    if not dead and not unread:
        return False
    _drop_results(node, dead)
    # What only made the dropped results is erased first: it still reads the arguments.
    _erase_dead(block)
    _drop_arguments(node, "X", dead | unread, offset=1)
    node.attrs["carried"] = carried - len(dead)
    return True


def shrink_conditional(node: Node) -> bool:
    """Drop the outputs nobody reads, and the inputs that the block does not read then."""
    block = node.blocks[0]
    carried = _carried(node)
    dead = {n for n, value in enumerate(node.outputs.get("Out", ())) if not value.is_used}
    _drop_results(node, dead)
    _erase_dead(block)
    kept = [n for n in range(carried) if n not in dead]
    order = [*kept, *(n for n in range(len(block.args)) if n not in kept)]
    unread = {n for n in order if n not in kept and not block.args[n].is_used}
    if not dead and not unread:
        return False
    inputs = node.inputs.get("Input", [])
    node.set_input("Input", [inputs[n] for n in order])
    block.args = [block.args[n] for n in order]
    _drop_arguments(node, "Input", {order.index(n) for n in unread}, offset=0)
    node.attrs["carried"] = len(kept)
    return True


def _carried(node: Node) -> int:
    carried = node.attrs.get("carried", 0)
    return carried if isinstance(carried, int) else 0


def _live_values(block: Graph, results: Sequence[Value]) -> set[Value]:
    """Everything that these results and the block's effects need."""
    live = set(results)
    for node in reversed(block):
        if node.effect or any(value in live for value in node.all_outputs()):
            live.update(node.all_inputs())
    return live


def _drop_results(node: Node, dead: Collection[int]) -> None:
    if not dead:
        return
    block = node.blocks[0]
    kept = [n for n in range(len(block.results)) if n not in dead]
    block.set_results([block.results[n] for n in kept], [block.result_names[n] for n in kept])
    outputs = node.outputs.pop("Out")
    for n in dead:
        outputs[n].producer = None
    if kept:
        node.outputs["Out"] = [outputs[n] for n in kept]


def _erase_dead(block: Graph) -> None:
    for node in reversed(block):
        if not node.effect and not any(value.is_used for value in node.all_outputs()):
            block.erase(node)


def _drop_arguments(node: Node, slot: str, dead: Collection[int], *, offset: int) -> None:
    block = node.blocks[0]
    node.set_input(slot, [v for n, v in enumerate(node.inputs.get(slot, ())) if n + offset not in dead])
    block.args = [value for n, value in enumerate(block.args) if n not in dead]
