"""Replaces adaptive pooling to one pixel by global pooling."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes
from lite.passes.registry import register_pass


@register_pass
class Adaptive1x1Pool2dConvertGlobalPass(Pass):
    """Replaces the adaptive average of one bin by the average of the whole image::

    %y = pool2d(X=%x) {pooling_type = "avg",  ->  %y = pool2d(X=%x) {pooling_type = "avg",
            adaptive = true, ksize = [1, 1]}              global_pooling = true}
    """

    name: ClassVar[str] = "adaptive_1x1_pool2d_convert_global_pass"
    needs: ClassVar[tuple[str, ...]] = ("pool2d",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Does not change maxima: Paddle's adaptive maximum of one bin has windows of one pixel."""
        found = [node for node in graph if node.op == "pool2d" and _is_one_bin(node)]
        for node in found:
            node.attrs.update({"adaptive": False, "global_pooling": True, "paddings": [0, 0]})
        return Outcome.of(bool(found))


def _is_one_bin(node: Node) -> bool:
    attrs = attributes(node)
    one = attrs["pooling_type"] == "avg" and attrs["ksize"] == [1, 1]
    return one and bool(attrs["adaptive"]) and not attrs["global_pooling"]
