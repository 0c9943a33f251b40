"""Replaces computed sizes of resized images by a scale."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import DType
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, erase_unread, producer, uncast
from lite.passes.registry import register_pass

_RESIZING = frozenset({"bilinear_interp_v2", "nearest_interp_v2", "bicubic_interp_v2"})

_ARITHMETIC = ("scale", "elementwise_mul")


@register_pass
class InterpolateFusePass(Pass):
    """Replaces output sizes that are a multiple of the image's sizes by the attribute scale::

        %s = shape(Input=%x)
        %n = slice(Input=%s) {axes = [0], starts = [2], ends = [4]}
        %m = scale(X=%n) {scale = 2.0}                   ->  %y = nearest_interp_v2(X=%x) {scale = [2.0, 2.0]}
        %y = nearest_interp_v2(X=%x, OutSize=%m)

    Casts in between are allowed.  The distance of the sampled pixels still follows from the sizes.
    """

    name: ClassVar[str] = "interpolate_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("bicubic_interp_v2", "bilinear_interp_v2", "nearest_interp_v2")
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Integer arithmetic with a fractional factor stays, and so do layouts other than NCHW."""
        changes = [_fuse(node) for node in graph if node.op in _RESIZING]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _fuse(node: Node) -> bool:
    size, attrs = node.optional_input("OutSize"), attributes(node)
    if size is None or set(node.inputs) != {"X", "OutSize"} or attrs["data_layout"] != "NCHW":
        return False
    factor = _factor(size, node.input("X"))
    if factor is None:
        return False
    node.attrs.update({"scale": [factor, factor], "ratio_from_sizes": True})
    node.set_input("OutSize", ())
    erase_unread([size])
    return True


def _factor(size: Value, image: Value) -> float | None:
    """The factors between the two last sizes of `image` and `size`."""
    multiplied = uncast(size)
    arithmetic = producer(multiplied, _ARITHMETIC)
    given = None if arithmetic is None else _multiplied(arithmetic)
    if given is None:
        return None
    value, factor = given
    cut = producer(uncast(value), ("slice",))
    source = None if cut is None or set(cut.inputs) != {"Input"} else producer(cut.input("Input"), ("shape",))
    if cut is None or source is None or source.input("Input") is not image or factor <= 0:
        return None
    attrs = attributes(cut)
    wanted = {"axes": [0], "starts": [2], "ends": [4], "decrease_axis": []}
    exact = factor.is_integer() or (value.dtype is DType.FLOAT32 and multiplied.dtype is DType.FLOAT32)
    return factor if exact and all(attrs[key] == numbers for key, numbers in wanted.items()) else None


def _multiplied(node: Node) -> tuple[Value, float] | None:
    if node.op == "scale":
        attrs = attributes(node)
        plain = (
            attrs["bias"] == 0 and attrs["scale1"] == 1 and attrs["bias1"] == 0 and not attrs["activation"]
        )
        return (node.input("X"), attrs.real("scale")) if plain and set(node.inputs) == {"X"} else None
    attrs = attributes(node)
    x, y = node.input("X"), node.input("Y")
    value, constant = (x, y) if y.is_constant else (y, x)
    data = None if constant.quant else constant.data
    if data is None or not data.size or data.ndim > 1 or attrs["scale"] != 1 or attrs["bias"] != 0:
        return None
    numbers = {float(number) for number in data.reshape(-1)}
    return (value, numbers.pop()) if len(numbers) == 1 and value.dtype == constant.dtype else None
