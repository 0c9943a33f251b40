"""Replaces ONNX's resize by Paddle's interpolations of images."""

from __future__ import annotations

import math
from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.ir.types import DType
from lite.ops.interpolation import interpolation
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, become
from lite.passes.registry import register_pass

_RANK = 4


@register_pass
class ResizeToInterpPass(Pass):
    """Replaces the resize of an image by a constant factor by an interpolation, which has faster kernels::

        %y = resize(X=%x, Scales=%s) {mode="nearest", …}  ->  %y = nearest_interp_v2(X=%x) {scale=[2.0, 2.0]}

    ONNX's parser does so where the file states the shape of X; here shapes are inferred.  Factors of the
    nearest pixel are powers of 2, with which both ops choose the same pixels.
    """

    name: ClassVar[str] = "resize_to_interp_pass"
    needs: ClassVar[tuple[str, ...]] = ("resize",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "constant_fold_pass")
    targets: ClassVar[tuple[str, ...]] = ("cpu",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Visits every resize."""
        changes = [_replace(node) for node in graph if node.op == "resize"]
        if any(changes):
            graph.drop_unused_constants()
        return Outcome.of(any(changes))


def _replace(node: Node) -> bool:
    attrs, x, scales = attributes(node), node.input("X"), node.optional_input("Scales")
    if scales is None or scales.data is None or {"Roi", "Sizes"} & {*node.inputs}:
        return False
    factors = [float(scale) for scale in scales.data]
    is_plain = not (attrs.flag("antialias") or attrs.flag("exclude_outside") or attrs.integers("axes"))
    if not is_plain or x.shape is None or len(x.shape) != _RANK or len(factors) != _RANK:
        return False
    mode, coordinates = attrs.text("mode"), attrs.text("coordinate_transformation_mode")
    down, right = factors[2:]
    op, method = interpolation(mode, coordinates, attrs.text("nearest_mode"), [down, right])
    is_nearest = op == "nearest_interp_v2" and all(math.frexp(factor)[0] == 0.5 for factor in (down, right))
    is_linear = op == "bilinear_interp_v2" and min(down, right) >= 1 and x.dtype is DType.FLOAT32
    if factors[:2] != [1, 1] or not (is_nearest or is_linear):
        return False
    become(node, op, {"X": [x]}, {"scale": [down, right], **method})
    return True
