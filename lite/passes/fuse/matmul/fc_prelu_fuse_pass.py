"""Fuses a prelu into the fc before it."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.matmul.fc_activation_fuse_pass import open_fc
from lite.passes.match import attributes, is_plain_float, take_output
from lite.passes.registry import register_pass


@register_pass
class FcPreluFusePass(Pass):
    """Merges a prelu with constant slopes into the fc before it::

    %a = fc(Input=%x, W=%w, Bias=%b)            ->  %y = fc(Input=%x, W=%w, Bias=%b, Alpha=%s)
    %y = prelu(X=%a, Alpha=%s) {mode = "channel"}       {activation = "prelu", prelu_mode = "channel"}
    """

    name: ClassVar[str] = "fc_prelu_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("prelu",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "fc_fuse_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """A prelu with channels on the last axis stays: fc has no attribute for it."""
        changes = [_fuse(node) for node in graph if node.op == "prelu"]
        return Outcome.of(any(changes))


def _fuse(prelu: Node) -> bool:
    fc, alpha, attrs = open_fc(prelu), prelu.input("Alpha"), attributes(prelu)
    if fc is None or not alpha.is_constant or not is_plain_float(alpha) or attrs["data_format"] != "NCHW":
        return False
    fc.set_input("Alpha", [alpha])
    fc.attrs["activation"], fc.attrs["prelu_mode"] = "prelu", attrs["mode"]
    take_output(fc, "Out", prelu, "Out")
    return True
