"""Merges ops in sequence that only change the shape."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.ir.types import Dim
from lite.ops import Trait, has_trait, ops_with
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fold.reshape_sizes_fold_pass import as_attribute
from lite.passes.fold.sizes import Sizes
from lite.passes.match import become, erase_unread, producer
from lite.passes.registry import register_pass


@register_pass
class RedundantViewEliminatePass(Pass):
    """Merges reshapes, squeezes, unsqueezes and flattenings in sequence into one reshape, or none::

        %a = unsqueeze2(X=%x) {axes = [1]}        (%x: float32[?,8,4])
        %b = reshape2(X=%a) {shape = [0, 8, 4]}   ->  %y = relu(X=%x)
        %y = relu(X=%b)

    Unknown sizes are tracked from op to op, so that equal ones are recognised.
    """

    name: ClassVar[str] = "redundant_view_eliminate_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "reshape_sizes_fold_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """An op whose result has other readers stays, and so do ops on quantised values and on LoDs."""
        if not any(has_trait(node.op, Trait.RESHAPE) for node in graph):
            return Outcome.UNCHANGED
        sizes = Sizes(graph)
        changed = False
        for node in graph:
            sizes.add(node)
            if has_trait(node.op, Trait.RESHAPE):
                changed |= _simplify(graph, node, sizes)
        return Outcome.of(changed)


def _simplify(graph: Graph, node: Node, sizes: Sizes) -> bool:
    if not _is_plain(node):
        return False
    value, out = node.input("X"), node.output("Out")
    first = producer(value, ops_with(Trait.RESHAPE))
    source = first.input("X") if first is not None and _is_plain(first) else value
    before, after = sizes.shape(source), sizes.shape(out)
    if before is None or after is None:
        return False
    if before == after:
        graph.replace_uses(out, source)
        erase_unread([out])
        return True
    shape = None if source is value else _as_shape(before, after)
    if shape is None:
        return False
    become(node, "reshape2", {"X": [source]}, {"shape": [*shape]})
    return True


def _is_plain(node: Node) -> bool:
    """Whether the shape is an attribute, and only the result is read."""
    values = [*node.all_inputs(), *node.all_outputs()]
    plain = all(value.quant is None and not value.lod_level for value in values)
    return plain and set(node.inputs) == {"X"} and len(values) == 2


def _as_shape(before: tuple[Dim, ...], after: tuple[Dim, ...]) -> list[int] | None:
    # In the attribute of reshape2, 0 does not mean a size of 0.
    return None if 0 in after else as_attribute(before, after)
