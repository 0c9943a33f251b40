"""Merges scales in sequence."""

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
"""Two summands cancel if their sum is below this part of the first."""


@register_pass
class ScalesFusePass(Pass):
    """Merges two scales, of which at most one has an activation::

        %a = scale(X=%x) {scale = 2.0, bias = 1.0}  ->  %y = scale(X=%x) {scale = 6.0, bias = 3.5}
        %y = scale(X=%a) {scale = 3.0, bias = 0.5}

    After an activation, the second one becomes `scale1` and `bias1`.  If the second one subtracts the summand
    of the first, as programs do to round a number, both stay.
    """

    name: ClassVar[str] = "scales_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("scale",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "scalar_elementwise_to_scale_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Walks forwards, so that a chain becomes one scale."""
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
    before, after = affine(first), affine(last)
    if before is not None:
        attrs = attributes(last)
        front = after if not attrs["activation"] else _front(last)
        total = None if front is None else _product(before, front)
        if total is None:
            return None
        kept: Mapping[str, AttrValue] = attrs if attrs["activation"] else {}
        return {**kept, "scale": total.factor, "bias": total.shift, "bias_after_scale": True}
    if after is None:
        return None
    attrs = attributes(first)
    tail = Affine(first.output("Out"), attrs.real("scale1"), attrs.real("bias1"))
    total = _product(tail, after)
    return None if total is None else {**attrs, "scale1": total.factor, "bias1": total.shift}


def _front(node: Node) -> Affine:
    """Factor and shift of a scale before its activation."""
    attrs = attributes(node)
    scale, bias = attrs.real("scale"), attrs.real("bias")
    return Affine(node.input("X"), scale, bias if attrs["bias_after_scale"] else scale * bias)


def _product(first: Affine, last: Affine) -> Affine | None:
    """`last` of `first`, or None if it is out of range or subtracts the summand of `first`."""
    moved = first.shift * last.factor
    factor, shift = first.factor * last.factor, moved + last.shift
    if abs(shift) < _CANCELS * abs(moved) or not fits(first.x, factor, shift):
        return None
    return Affine(first.x, factor, shift)
