"""Images padded as volumes of one slice."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, become, is_plain_float, sole_producer
from lite.passes.registry import register_pass

_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge"}


@register_pass
class Unsqueeze2Pad3dSqueeze2FusePass(Pass):
    """A border around an image that is a volume for a moment becomes pad2d::

    %a = unsqueeze2(X=%x) {axes = [2]}
    %b = pad3d(X=%a) {paddings = [1, 2, 3, 4, 0, 0]}  ->  %y = pad2d(X=%x) {paddings = [3, 4, 1, 2]}
    %y = squeeze2(X=%b) {axes = [2]}
    """

    name: ClassVar[str] = "unsqueeze2_pad3d_squeeze2_fuse_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Leaves borders that go round (circular) alone: pad2d has no such mode."""
        changes = [_fuse(node) for node in graph if node.op == "squeeze2"]
        return Outcome.of(any(changes))


def _fuse(squeeze: Node) -> bool:
    pad = sole_producer(squeeze.input("X"), ("pad3d",))
    unsqueeze = None if pad is None else sole_producer(pad.input("X"), ("unsqueeze2",))
    if pad is None or unsqueeze is None or len(list(squeeze.all_outputs())) != 1:
        return False
    x, attrs = unsqueeze.input("X"), attributes(pad)
    if set(unsqueeze.inputs) != {"X"} or set(pad.inputs) != {"X"} or x.shape is None or len(x.shape) != 4:
        return False
    if attributes(unsqueeze)["axes"] not in ([2], [-3]) or attributes(squeeze)["axes"] not in ([2], [-3]):
        return False
    paddings, mode = attrs.integers("paddings"), _MODES.get(attrs.text("mode"))
    values = (x, pad.input("X"), pad.output("Out"), squeeze.output("Out"))
    if mode is None or attrs["data_format"] != "NCDHW" or not is_plain_float(*values):
        return False
    if len(paddings) != 6:
        return False
    left, right, top, bottom, front, back = paddings
    if front or back:
        return False
    border = {"paddings": [top, bottom, left, right], "mode": mode, "pad_value": attrs["value"]}
    become(squeeze, "pad2d", {"X": [x]}, border)
    return True
