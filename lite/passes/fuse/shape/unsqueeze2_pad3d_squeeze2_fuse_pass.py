"""Pads images instead of volumes of one slice."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, become, is_plain_float, sole_producer
from lite.passes.registry import register_pass


@register_pass
class Unsqueeze2Pad3dSqueeze2FusePass(Pass):
    """Pads an image as an image, instead of as a volume of one slice::

    %a = unsqueeze2(X=%x) {axes = [2]}
    %b = pad_nd(X=%a) {paddings = [1, 3, 2, 4], axes = [4, 3]}
    %y = squeeze2(X=%b) {axes = [2]}
    ->
    %y = pad_nd(X=%x) {paddings = [1, 3, 2, 4], axes = [3, 2]}
    """

    name: ClassVar[str] = "unsqueeze2_pad3d_squeeze2_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("pad_nd",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """The parts stay if another node reads a value in between."""
        changes = [_fuse(node) for node in graph if node.op == "squeeze2"]
        return Outcome.of(any(changes))


def _fuse(squeeze: Node) -> bool:
    pad = sole_producer(squeeze.input("X"), ("pad_nd",))
    unsqueeze = None if pad is None else sole_producer(pad.input("X"), ("unsqueeze2",))
    if pad is None or unsqueeze is None or len(list(squeeze.all_outputs())) != 1:
        return False
    x = unsqueeze.input("X")
    if set(unsqueeze.inputs) != {"X"} or set(pad.inputs) != {"X"} or x.shape is None or len(x.shape) != 4:
        return False
    if attributes(unsqueeze)["axes"] not in ([2], [-3]) or attributes(squeeze)["axes"] not in ([2], [-3]):
        return False
    values = (x, pad.input("X"), pad.output("Out"), squeeze.output("Out"))
    border = _border(pad)
    if border is None or not is_plain_float(*values):
        return False
    attrs, (paddings, axes) = attributes(pad), border
    become(squeeze, "pad_nd", {"X": [x]}, {**attrs, "paddings": paddings, "axes": axes})
    return True


def _border(pad: Node) -> tuple[list[int], list[int]] | None:
    """The paddings and axes of a volume's border without axis 2; None if that axis has a border."""
    attrs = attributes(pad)
    paddings = attrs.integers("paddings")
    axes = [axis % 5 for axis in attrs.integers("axes")] or list(range(5))
    before, after = paddings[: len(axes)], paddings[len(axes) :]
    kept = [n for n, axis in enumerate(axes) if axis != 2]
    if any(before[n] or after[n] for n in range(len(axes)) if n not in kept):
        return None
    sides = [side[n] for side in (before, after) for n in kept]
    return sides, [axes[n] - (axes[n] > 2) for n in kept]
