"""Replaces a slice of one position that the run computes by a gather of it."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.ir.program import VarKind
from lite.ops import Trait, has_trait
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, become
from lite.passes.registry import register_pass


@register_pass
class ItemSliceToGatherPass(Pass):
    """Replaces a slice from i to i + 1 without its axis, as Paddle writes x[i]::

        %end = scale(X=%i) {scale=1, bias=1}                        ->  %y = gather(X=%x, Index=%i) {axis=0}
        %s = unsqueeze2(X=%i) {axes=[0]}
        %e = unsqueeze2(X=%end) {axes=[0]}
        %y = slice(Input=%x, StartsTensor=%s, EndsTensor=%e)
             {axes=[0], decrease_axis=[0]}

    The position must be a scalar.  Both ops fail where x has no such position, and count negative ones from
    the end.  A gather may be launched by a loop without Python.
    """

    name: ClassVar[str] = "item_slice_to_gather_pass"
    needs: ClassVar[tuple[str, ...]] = ("slice",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Slices of tensor arrays stay."""
        changes = [_replace(node) for node in list(graph) if node.op == "slice"]
        return Outcome.of(any(changes))


def _replace(node: Node) -> bool:
    attrs, source = attributes(node), node.input("Input")
    axes = attrs.integers("axes")
    if len(axes) != 1 or [*attrs.integers("decrease_axis")] != [*axes] or source.kind != VarKind.TENSOR:
        return False
    start, end = _only(node, "Starts"), _only(node, "Ends")
    if start is None or end is None or source.lod_level:
        return False
    position = _scalar(start)
    if position is None or _one_before(_reshaped(end)) is not _reshaped(position):
        return False
    become(node, "gather", {"X": [source], "Index": [position]}, {"axis": axes[0]})
    return True


def _only(node: Node, name: str) -> Value | None:
    """The one value that says where the slice starts or ends; None where attributes or several values do."""
    values = [*node.inputs.get(f"{name}Tensor", ()), *node.inputs.get(f"{name}TensorList", ())]
    return values[0] if len(values) == 1 and values[0].data is None else None


def _reshaped(value: Value) -> Value:
    """The value from which one was made by reshapes alone."""
    while (node := value.producer) is not None and has_trait(node.op, Trait.RESHAPE):
        value = node.input("X")
    return value


def _scalar(value: Value) -> Value | None:
    """The value of rank 0 from which one was made by reshapes alone."""
    while value.shape != ():
        node = value.producer
        if node is None or not has_trait(node.op, Trait.RESHAPE):
            return None
        value = node.input("X")
    return value


def _one_before(value: Value) -> Value | None:
    """The integer, before reshapes, to which 1 was added; None for other values."""
    node = value.producer
    if node is None or value.dtype is None or not value.dtype.is_integer:
        return None
    attrs = attributes(node)
    if node.op == "scale" and "ScaleTensor" not in node.inputs:
        adds_one = attrs.real("scale") == 1.0 and attrs.real("bias") == 1.0 and not attrs.text("activation")
    elif node.op == "increment":
        adds_one = attrs.real("step") == 1.0
    elif node.op == "elementwise_add":
        other = node.input("Y").data
        adds_one = other is not None and other.size == 1 and other.item() == 1
    else:
        adds_one = False
    return _reshaped(node.input("X")) if adds_one else None
