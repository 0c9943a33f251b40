"""Sizes that reshape2 takes from a tensor although its input has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.ir.types import Dim, Shape
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fold.sizes import Sizes
from lite.passes.registry import register_pass

_SLOTS = ("ShapeTensor", "Shape")
"""The first that a node has counts."""


@register_pass
class ReshapeSizesFoldPass(Pass):
    """A size that is that of the same axis of the input becomes 0, the only other unknown one -1::

        %s = shape(Input=%x)
        %n = slice(Input=%s) {axes = [0], starts = [0], ends = [1]}
        %y = reshape2(X=%x, ShapeTensor=[%n, %c])        ->  %y = reshape2(X=%x) {shape = [0, 8]}

    Sizes are followed from op to op: that of another tensor is known to be equal, too.
    """

    name: ClassVar[str] = "reshape_sizes_fold_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """What only told the sizes stays, for dead_code_elimination_pass to remove."""
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


def as_attribute(dims: Shape, wanted: Sequence[Dim]) -> list[int] | None:
    """The attribute that makes a tensor of `dims` one of `wanted`, as large; None where no attribute does."""
    shape = [
        0 if isinstance(size, str) and axis < len(dims) and dims[axis] == size else size
        for axis, size in enumerate(wanted)
    ]
    left = [axis for axis, size in enumerate(shape) if isinstance(size, str)]
    if len(left) > 1:
        return None
    return [-1 if isinstance(size, str) else size for size in shape]


def _fold(node: Node, sizes: Sizes) -> bool:
    slot = next((slot for slot in _SLOTS if slot in node.inputs), None)
    dims = sizes.shape(node.input("X"))
    if slot is None or dims is None:
        return False
    wanted: list[Dim] = []
    for value in node.inputs[slot]:
        found = sizes.elements(value)
        if found is None:
            return False
        wanted += found
    shape = as_attribute(dims, wanted)
    if shape is None or shape.count(-1) > 1:
        return False
    node.attrs["shape"] = [*shape]
    for name in _SLOTS:
        node.set_input(name, ())
    return True
