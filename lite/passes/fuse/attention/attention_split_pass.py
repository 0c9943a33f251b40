"""Makes ops of their own of parts of attention."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import UNKNOWN, DType, Shape
from lite.ops.rules import apply
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fold.sizes import Sizes
from lite.passes.match import attributes, is_plain_float
from lite.passes.registry import register_pass

_SIDES = ("left", "right")

_PAST = (("PastKey", "K", "PresentKey"), ("PastValue", "V", "PresentValue"))


@register_pass
class AttentionSplitPass(Pass):
    """Joins keys and values to those from before, and makes numbers of a boolean mask, ahead of attention::

        %y, %ks, %vs = attention(Q=%q,   ->  %ks = concat(X=[%past_k, %k]) {axis = 2}
            K=%k, V=%v, Mask=%m,             %vs = concat(X=[%past_v, %v]) {axis = 2}
            PastKey=%past_k,                 %n = where(Condition=%m, X=0, Y=-inf)
            PastValue=%past_v)               %y = attention(Q=%q, K=%ks, V=%vs, Mask=%n)
                                                  {causal_lower_right = true}

    A concat may grow a cache in place, and kernels take fewer forms of the op.  The past stays where a query
    sees keys by their positions and there may be other numbers of queries than of new keys.
    """

    name: ClassVar[str] = "attention_split_pass"
    needs: ClassVar[tuple[str, ...]] = ("attention",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """New keys and values with their heads in rows are transposed."""
        nodes = [node for node in graph if node.op == "attention"]
        by_position = [node for node in nodes if _has_past(node) and _uses_positions(node)]
        sizes = Sizes.of(graph) if by_position else None
        changes = [_split(graph, node, sizes) for node in nodes]
        return Outcome.of(any(changes))


def _split(graph: Graph, node: Node, sizes: Sizes | None) -> bool:
    changed = _join_past(graph, node, sizes)
    mask = node.optional_input("Mask")
    if mask is not None and mask.dtype is DType.BOOL and is_plain_float(node.input("Q")):
        node.set_input("Mask", [_numbers(graph, node, mask)])
        changed = True
    return changed


def _has_past(node: Node) -> bool:
    return all(node.optional_input(past) is not None for past, _, _ in _PAST)


def _uses_positions(node: Node) -> bool:
    attrs = attributes(node)
    return attrs.flag("is_causal") or any(attrs.integer(f"{side}_window_size") >= 0 for side in _SIDES)


def _has_a_key_for_each_query(node: Node, sizes: Sizes | None) -> bool:
    if sizes is None:
        return False
    shapes = [sizes.shape(node.input(slot)) or () for slot in ("Q", "K")]
    first, second = (
        shape[-2] if len(shape) == 4 else shape[1] if len(shape) == 3 else None for shape in shapes
    )
    return first is not None and first == second


def _join_past(graph: Graph, node: Node, sizes: Sizes | None) -> bool:
    if not _has_past(node) or (_uses_positions(node) and not _has_a_key_for_each_query(node, sizes)):
        return False
    heads = attributes(node).integer("kv_num_heads")
    for slot, new_slot, present in _PAST:
        past, new = node.input(slot), _by_head(graph, node, node.input(new_slot), heads)
        outputs = node.outputs.pop(present, [])
        if outputs:
            [joined] = outputs
            joined.producer = None
        else:
            joined = _like(graph, new, "cache", _joined(past.shape, new.shape))
        graph.add_node("concat", {"X": [past, new]}, {"Out": [joined]}, {"axis": 2}, before=node)
        node.set_input(new_slot, [joined])
        node.set_input(slot, ())
    node.attrs = {**node.attrs, "causal_lower_right": True}
    return True


def _joined(past: Shape | None, new: Shape | None) -> Shape | None:
    if past is None or new is None:
        return None
    before, added = past[2], new[2]
    rows = before + added if isinstance(before, int) and isinstance(added, int) else UNKNOWN
    return (*new[:2], rows, new[3])


def _by_head(graph: Graph, node: Node, x: Value, heads: int) -> Value:
    """``[batch, rows, heads · size]`` as ``[batch, heads, rows, size]``."""
    shape = x.shape
    if shape is None or len(shape) == 4:
        return x
    batch, rows, columns = shape
    size = apply(columns, lambda count: count // heads)
    shaped = _like(graph, x, "heads", (batch, rows, heads, size))
    by_head = _like(graph, x, "by_head", (batch, heads, rows, size))
    graph.add_node("reshape2", {"X": [x]}, {"Out": [shaped]}, {"shape": [0, 0, heads, -1]}, before=node)
    graph.add_node("transpose2", {"X": [shaped]}, {"Out": [by_head]}, {"axis": [0, 2, 1, 3]}, before=node)
    return by_head


def _numbers(graph: Graph, node: Node, mask: Value) -> Value:
    """0 where a mask is true, and −∞ where it is false."""
    dtype = node.input("Q").dtype or DType.FLOAT32
    numbers = _like(graph, mask, "numbers", mask.shape)
    numbers.dtype = dtype
    seen, hidden = (graph.add_constant(f"{mask.name}_{n}", np.array(n, dtype.numpy)) for n in (0, -np.inf))
    graph.add_node(
        "where", {"Condition": [mask], "X": [seen], "Y": [hidden]}, {"Out": [numbers]}, {}, before=node
    )
    return numbers


def _like(graph: Graph, value: Value, suffix: str, shape: Shape | None) -> Value:
    made = graph.new_value(graph.unique_name(f"{value.name}_{suffix}"), like=value)
    made.shape = shape
    return made
