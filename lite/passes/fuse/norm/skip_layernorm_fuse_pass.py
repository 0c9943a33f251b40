"""Fuses layer_norm of a sum."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, become, is_plain_float, sole_producer
from lite.passes.registry import register_pass


@register_pass
class SkipLayernormFusePass(Pass):
    """Replaces a layer_norm and a sum with no other reader by skip_layernorm::

    %s = elementwise_add(X=%x, Y=%r)                ->  %y = skip_layernorm(X=%x, Y=%r, Scale=%w, Bias=%b)
    Y=%y = layer_norm(X=%s, Scale=%w, Bias=%b)
    """

    name: ClassVar[str] = "skip_layernorm_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("layer_norm",)
    after: ClassVar[tuple[str, ...]] = (
        "canonicalize_pass",
        "fc_fuse_pass",
        "layer_norm_fuse_pass",
        "embedding_eltwise_layernorm_fuse_pass",
    )

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Sums with a broadcast axis stay, and norms over all axes."""
        changes = [_fuse(node) for node in graph if node.op == "layer_norm"]
        return Outcome.of(any(changes))


def is_bare(norm: Node) -> bool:
    """Whether a layer_norm has plain floats, and no other output of it is read."""
    others = [value for slot, values in norm.outputs.items() if slot != "Y" for value in values]
    return not others and is_plain_float(*norm.all_inputs(), norm.output("Y"))


def _fuse(norm: Node) -> bool:
    add = sole_producer(norm.input("X"), ("elementwise_add",))
    if add is None or not is_bare(norm):
        return False
    x, y = add.input("X"), add.input("Y")
    if x.shape is None or y.shape is None or x.dtype != y.dtype or not is_plain_float(x, y):
        return False
    if not len(x.shape) >= max(len(y.shape), 2) or not y.shape or attributes(norm)["begin_norm_axis"] == 0:
        return False
    if attributes(add)["axis"] not in (-1, len(x.shape) - len(y.shape)):
        return False
    kept = {slot: values for slot, values in norm.inputs.items() if slot != "X"}
    become(norm, "skip_layernorm", {"X": [x], "Y": [y], **kept}, attributes(norm))
    return True
