"""Replaces size tensors of reshape2 by the attribute if the sizes are sizes of the input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.ir.types import Dim, Shape
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fold.sizes import Sizes
from lite.passes.registry import register_pass

_SLOTS = ("ShapeTensor", "Shape")
"""The slots of sizes; the first one that a node has takes precedence."""


@register_pass
class ReshapeSizesFoldPass(Pass):
    """Writes a size that equals the size of the same axis of the input as 0, and one unknown size as -1::

        %s = shape(Input=%x)
        %n = slice(Input=%s) {axes = [0], starts = [0], ends = [1]}
        %y = reshape2(X=%x, ShapeTensor=[%n, %c])        ->  %y = reshape2(X=%x) {shape = [0, 8]}

    Sizes are tracked from op to op, so sizes of other tensors are recognised as equal, too.
    """

    name: ClassVar[str] = "reshape_sizes_fold_pass"
    needs: ClassVar[tuple[str, ...]] = ("reshape2",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Ops that only computed sizes stay; dead_code_elimination_pass removes them."""
        if not any(node.op == "reshape2" and len(node.inputs) > 1 for node in graph):
            return Outcome.UNCHANGED
        sizes = Sizes(graph)
        changed = False
        for node in graph:
            if node.op == "reshape2":
                changed |= _fold(node, sizes)
            sizes.add(node)
        if changed:
            graph.drop_unused_constants()
        return Outcome.of(changed)


def as_attribute(dims: Shape, target: Sequence[Dim]) -> list[int] | None:
    """The attribute `shape` that reshapes a tensor from `dims` to `target`, or None."""
    shape = [
        0 if isinstance(size, str) and axis < len(dims) and dims[axis] == size else size
        for axis, size in enumerate(target)
    ]
    unknown = [size for size in shape if isinstance(size, str)]
    if len(unknown) > 1:
        return None
    return [-1 if isinstance(size, str) else size for size in shape]


def stated_sizes(node: Node, sizes: Sizes) -> list[Dim] | None:
    """The elements of the size tensors of a reshape2; None if it has none, or if they are unknown."""
    slot = next((slot for slot in _SLOTS if slot in node.inputs), None)
    if slot is None:
        return None
    target: list[Dim] = []
    for value in node.inputs[slot]:
        elements = sizes.elements(value)
        if elements is None:
            return None
        target += elements
    return target


def _fold(node: Node, sizes: Sizes) -> bool:
    target = stated_sizes(node, sizes)
    dims = sizes.shape(node.input("X"))
    if target is None or dims is None:
        return False
    shape = as_attribute(dims, target)
    if shape is None or shape.count(-1) > 1:
        return False
    node.attrs["shape"] = [*shape]
    for name in _SLOTS:
        node.set_input(name, ())
    return True
