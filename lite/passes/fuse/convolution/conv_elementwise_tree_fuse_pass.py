"""Fuses the sum of a convolution and another branch into the convolution."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.convolution.convolution import open_convolution
from lite.passes.match import attributes, become, is_plain_float
from lite.passes.registry import register_pass


@register_pass
class ConvElementwiseTreeFusePass(Pass):
    """Replaces the addition of a tensor to a convolution by a residual::

        Output=%c = conv2d(Input=%x, Filter=%w)
        %y = elementwise_add(X=%r, Y=%c)         ->  Output=%y = conv2d(Input=%x, Filter=%w, ResidualData=%r)

    The convolution moves to the position of the sum, so that the other branch is computed before.  Of two
    convolutions, the later one gets the output of the other.  An activation of the sum becomes one of the
    convolution.  A branch that broadcasts, such as one number for each channel, is added by an op of its own:
    kernels of convolutions read a residual at the position that they write.
    """

    name: ClassVar[str] = "conv_elementwise_tree_fuse_pass"
    after: ClassVar[tuple[str, ...]] = (
        "canonicalize_pass",
        "conv_elementwise_fuse_pass",
        "conv_bn_fuse_pass",
        "conv_scale_fuse_pass",
    )

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Transposed convolutions, and convolutions with an activation or a residual, do not change."""
        places = {node: place for place, node in enumerate(graph)}
        changes = [_fuse(node, places) for node in graph if node.op in _SUMS]
        return Outcome.of(any(changes))


_SUMS = ("elementwise_add", "fusion_elementwise_add_activation")


def _fuse(add: Node, places: dict[Node, int]) -> bool:
    x, y = add.input("X"), add.input("Y")
    if not _are_images(x, y, add.output("Out")):
        return False
    found = [(conv, other) for conv, other in ((_open(x), y), (_open(y), x)) if conv is not None]
    if not found:
        return False
    conv, residual = max(found, key=lambda pair: places[pair[0]])
    attrs = dict(conv.attrs)
    if add.op != "elementwise_add":
        fused = attributes(add)
        attrs |= {name: fused[name] for name in ("activation", "activation_params")}
    become(add, conv.op, {**conv.inputs, "ResidualData": [residual]}, attrs)
    return True


def _are_images(x: Value, y: Value, out: Value) -> bool:
    """Whether both have four axes, the same ones of size 1, one element type and no LoD."""
    if not is_plain_float(x, y, out) or x.dtype != y.dtype or x.shape is None or y.shape is None:
        return False
    ones = [[size == 1 for size in shape] for shape in (x.shape, y.shape)]
    return len(x.shape) == 4 and ones[0] == ones[1] and not x.lod_level and not y.lod_level


def _open(value: Value) -> Node | None:
    conv = open_convolution(value)
    if conv is None or conv.op == "conv2d_transpose" or "ResidualData" in conv.inputs:
        return None
    return conv
