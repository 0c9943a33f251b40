"""A scale behind a scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.ir.program import AttrValue
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.elementwise.affine import Affine, affine, fits
from lite.passes.match import attributes, become, is_plain_float, sole_producer
from lite.passes.registry import register_pass

_CANCELS = 1e-4
"""Numbers of which less is left than this part were added for the digits they drop."""


@register_pass
class ScalesFusePass(Pass):
    """Two scales, of which one at most has an activation, become one::

        %a = scale(X=%x) {scale = 2.0, bias = 1.0}  ->  %y = scale(X=%x) {scale = 6.0, bias = 3.5}
        %y = scale(X=%a) {scale = 3.0, bias = 0.5}

    Behind an activation, `scale1` and `bias1` take up the second one.  Where the second one takes away
    what the first added, as to round a number, both stay.
    """

    name: ClassVar[str] = "scales_fuse_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "scalar_elementwise_to_scale_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Walks forwards, so that of a chain one is left."""
        changes = [_fuse(node) for node in graph if node.op == "scale"]
        return Outcome.of(any(changes))


def _fuse(last: Node) -> bool:
    first = sole_producer(last.input("X"), ("scale",))
    if first is None or not is_plain_float(first.input("X"), first.output("Out"), last.output("Out")):
        return False
    if set(first.inputs) != {"X"} or set(last.inputs) != {"X"}:
        return False
    merged = _merged(first, last)
    if merged is None:
        return False
    become(last, "scale", {"X": [first.input("X")]}, merged)
    return True


def _merged(first: Node, last: Node) -> Mapping[str, AttrValue] | None:
    before, behind = affine(first), affine(last)
    if before is not None:
        attrs = attributes(last)
        front = behind if not attrs["activation"] else _front(last)
        total = None if front is None else _product(before, front)
        if total is None:
            return None
        kept: Mapping[str, AttrValue] = attrs if attrs["activation"] else {}
        return {**kept, "scale": total.factor, "bias": total.shift, "bias_after_scale": True}
    if behind is None:
        return None
    attrs = attributes(first)
    tail = Affine(first.output("Out"), attrs.real("scale1"), attrs.real("bias1"))
    total = _product(tail, behind)
    return None if total is None else {**attrs, "scale1": total.factor, "bias1": total.shift}


def _front(node: Node) -> Affine:
    """What a scale does before its activation."""
    attrs = attributes(node)
    scale, bias = attrs.real("scale"), attrs.real("bias")
    return Affine(node.input("X"), scale, bias if attrs["bias_after_scale"] else scale * bias)


def _product(first: Affine, last: Affine) -> Affine | None:
    """`last` of `first`, or None where that is out of range or takes away what was added."""
    moved = first.shift * last.factor
    factor, shift = first.factor * last.factor, moved + last.shift
    if abs(shift) < _CANCELS * abs(moved) or not fits(first.x, factor, shift):
        return None
    return Affine(first.x, factor, shift)
