"""Replaces ONNX's resize by Paddle's interpolations of images."""

from __future__ import annotations

import math
from typing import ClassVar

from lite.ir.attributes import Attributes
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import DType
from lite.ops.interpolation import interpolation
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, become, producer, uncast
from lite.passes.registry import register_pass

_RANK = 4


@register_pass
class ResizeToInterpPass(Pass):
    """Replaces the resize of an image by a constant factor by an interpolation, which has faster kernels::

        %y = resize(X=%x, Scales=%s) {mode="nearest", …}  ->  %y = nearest_interp_v2(X=%x) {scale=[2.0, 2.0]}

    ONNX's parser does so where the file states the shape of X; here shapes are inferred.  Factors of the
    nearest pixel are powers of 2, with which both ops choose the same pixels.  Sizes that were computed from
    shapes, and are constants now, become ``out_h`` and ``out_w``.

    Where no device takes part, which may not know `ratio_for_one`, computed sizes are taken, too::

        %s = shape(Input=%x)
        %k = slice(Input=%s) {axes=[0], starts=[0], ends=[2]}
        %t = concat(X=[%k, %n])
        %y = resize(X=%x, Sizes=%t) {mode="linear", …}    ->  %y = bilinear_interp_v2(X=%x, OutSize=%n) {…}
    """

    name: ClassVar[str] = "resize_to_interp_pass"
    needs: ClassVar[tuple[str, ...]] = ("resize",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "constant_fold_pass")
    targets: ClassVar[tuple[str, ...]] = ("cpu",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Visits every resize."""
        on_host = {place.target for place in ctx.valid_places} <= {"cpu", "host"}
        changes = [
            _replace(node) or _replace_known_sizes(node) or (on_host and _replace_sizes(node))
            for node in graph
            if node.op == "resize"
        ]
        if any(changes):
            graph.drop_unused_constants()
        return Outcome.of(any(changes))


def _replace(node: Node) -> bool:
    attrs, x, scales = attributes(node), node.input("X"), node.optional_input("Scales")
    if scales is None or scales.data is None or {"Roi", "Sizes"} & {*node.inputs}:
        return False
    factors = [float(scale) for scale in scales.data]
    if not _is_plain(attrs) or x.shape is None or len(x.shape) != _RANK or len(factors) != _RANK:
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


def _replace_known_sizes(node: Node) -> bool:
    attrs, x, sizes = attributes(node), node.input("X"), node.optional_input("Sizes")
    if sizes is None or sizes.data is None or {*node.inputs} != {"X", "Sizes"} or not _is_plain(attrs):
        return False
    numbers = [int(size) for size in sizes.data]
    if x.shape is None or [*x.shape[:2]] != numbers[:2] or len(numbers) != _RANK:
        return False
    if x.dtype is not DType.FLOAT32 or attrs.text("keep_aspect_ratio_policy") != "stretch":
        return False
    coordinates = attrs.text("coordinate_transformation_mode")
    op, method = interpolation(attrs.text("mode"), coordinates, attrs.text("nearest_mode"), None)
    # ONNX takes the middle of an image for a row or column of one pixel, Paddle the first pixel.
    is_other = coordinates == "half_pixel" and 1 in numbers[2:] and op != "nearest_interp_v2"
    if not op or is_other or (op == "bicubic_interp_v2" and attrs.real("cubic_coeff_a") != -0.75):
        return False
    become(node, op, {"X": [x]}, {"out_h": numbers[2], "out_w": numbers[3], **method})
    return True


def _replace_sizes(node: Node) -> bool:
    attrs, x, sizes = attributes(node), node.input("X"), node.optional_input("Sizes")
    if sizes is None or {*node.inputs} != {"X", "Sizes"} or not _is_plain(attrs):
        return False
    if x.shape is None or len(x.shape) != _RANK or x.dtype is not DType.FLOAT32:
        return False
    coordinates = attrs.text("coordinate_transformation_mode")
    op, method = interpolation(attrs.text("mode"), coordinates, attrs.text("nearest_mode"), None)
    if op != "bilinear_interp_v2" or attrs.text("keep_aspect_ratio_policy") != "stretch":
        return False
    image = _image_sizes(sizes, x)
    if image is None:
        return False
    one = {"ratio_for_one": True} if coordinates == "half_pixel" else {}
    become(node, op, {"X": [x], "OutSize": [image]}, {**method, **one})
    return True


def _image_sizes(sizes: Value, x: Value) -> Value | None:
    """The height and width in `sizes`, if its batch and channels are those of `x`."""
    joined = producer(sizes, ("concat",))
    parts = [] if joined is None else joined.inputs["X"]
    if len(parts) != 2 or parts[1].shape != (2,):
        return None
    cut = producer(parts[0], ("slice",))
    source = None if cut is None else producer(uncast(cut.input("Input")), ("shape",))
    if cut is None or source is None or source.input("Input") is not x or {*cut.inputs} != {"Input"}:
        return None
    wanted = {"axes": [0], "starts": [0], "ends": [2], "decrease_axis": []}
    attrs = attributes(cut)
    return parts[1] if all(attrs[key] == numbers for key, numbers in wanted.items()) else None


def _is_plain(attrs: Attributes) -> bool:
    return not (attrs.flag("antialias") or attrs.flag("exclude_outside") or attrs.integers("axes"))
